// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import { parseToken, takeTokenFromAddress } from '#renderer/client/access-token.ts';
import { createTabSession } from '#renderer/client/tab-session.ts';

const TOKEN = 'ehbneXMIBwVqm4-8XJUOKLhIb2YzYJfvWE0xduHbPSw';
const places = () => ({
  location: window.location,
  history: window.history,
  storage: window.sessionStorage,
});

describe('the token', () => {
  beforeEach(() => {
    sessionStorage.clear();
    localStorage.clear();
    window.location.href = 'http://127.0.0.1:4317/';
  });

  test('[UI-4] is removed from the URL, and the rest of the URL stays', () => {
    history.replaceState(null, '', `/runs?status=failed#token=${TOKEN}`);
    const entries = history.length;
    expect(takeTokenFromAddress(places())).toBe(TOKEN);
    expect(window.location.href).toBe('http://127.0.0.1:4317/runs?status=failed');
    expect(history.length).toBe(entries);
  });

  test('[UI-4] is stored only in the tab’s session storage', () => {
    history.replaceState(null, '', `/#token=${TOKEN}`);
    takeTokenFromAddress(places());
    expect(Object.values(sessionStorage)).toEqual([TOKEN]);
    expect(localStorage).toHaveLength(0);
    expect(document.cookie).toBe('');
    expect(takeTokenFromAddress(places())).toBe(TOKEN);
  });

  test('[UI-4] an unreadable token is removed from the URL too, and the stored one stays', () => {
    history.replaceState(null, '', `/#token=${TOKEN}`);
    takeTokenFromAddress(places());
    history.replaceState(null, '', '/#token=%E0%A4%A');
    expect(takeTokenFromAddress(places())).toBe(TOKEN);
    expect(window.location.hash).toBe('');
  });

  test('[UI-4] a refused token is forgotten unless a newer one is stored', () => {
    history.replaceState(null, '', `/#token=${TOKEN}`);
    const session = createTabSession(places());
    expect(session.getState()).toEqual({ token: TOKEN, isRefused: false });
    session.refuse('one from before');
    expect(session.getState().token).toBe(TOKEN);
    session.refuse(TOKEN);
    expect(session.getState()).toEqual({ token: null, isRefused: true });
    expect(sessionStorage).toHaveLength(0);
  });

  test('[UI-4] other fragments are left alone', () => {
    history.replaceState(null, '', '/#main');
    expect(takeTokenFromAddress(places())).toBeNull();
    expect(window.location.hash).toBe('#main');
  });

  test.each([
    [`http://127.0.0.1:4317/#token=${TOKEN}`, TOKEN],
    [`  ${TOKEN}\n`, TOKEN],
    [`#token=${TOKEN}`, TOKEN],
    ['http://127.0.0.1:4317/', null],
    ['two words', null],
    ['', null],
    [`${TOKEN}\r\nX-Header: 1`, null],
  ])('[UI-4] reads a token from pasted text: %j', (pasted, token) => {
    expect(parseToken(pasted)).toBe(token);
  });
});
