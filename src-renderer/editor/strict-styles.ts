// Monaco inserts style elements and attributes as text, which our CSP forbids. These replacements
// do the same through the CSSOM, which it allows. The build swaps them in (see
// electron.vite.config.ts).

/** Monaco escapes code in its HTML, so `<` always starts a tag. */
const TAG = /<[^<>]*>/g;

/** A string or one of Monaco's trusted types. */
type Html = { toString(): string };

function toFragment(html: Html): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = String(html).replaceAll(TAG, (tag) =>
    tag.replace(' style="', ' data-style="'),
  );
  for (const element of template.content.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset['style'] ?? '';
    delete element.dataset['style'];
  }
  return template.content;
}

/** Replaces `element.innerHTML = html`. */
export function setHtml(element: Element, html: Html): void {
  element.replaceChildren(toFragment(html));
}

/** Replaces `element.insertAdjacentHTML(where, html)` for the two positions Monaco uses. */
export function insertHtml(element: Element, where: 'afterend' | 'beforeend', html: Html): void {
  if (where === 'afterend') element.after(toFragment(html));
  else element.append(toFragment(html));
}

/** Stands in for a style element: its text and rules go into a constructed style sheet. */
export function createStyleElement(): HTMLElement {
  const sheet = new CSSStyleSheet();
  let text = '';
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement('meta');
  Object.defineProperties(element, {
    sheet: { get: () => sheet },
    textContent: {
      get: () => text,
      set: (css: string) => {
        text = css;
        sheet.replaceSync(css);
      },
    },
    remove: {
      value: () => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
        Element.prototype.remove.call(element);
      },
    },
  });
  return element;
}
