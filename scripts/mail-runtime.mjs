// A real IMAP server for the mail tests: Debian's Dovecot on a free loopback port, with its
// configuration in a temporary folder; the system's own is neither read nor changed. If Dovecot is
// unavailable, the tests get the reason and count as not run.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { installPackages, mayInstallPackages } from './lib/debian.mjs';
import { capture, findProgram, lastLines, sayOnStderr } from './lib/processes.mjs';

/** @typedef {import('./lib/processes.mjs').Say} Say */
/** @typedef {{ port: number, user: string, password: string, stop: () => Promise<void> }} Dovecot */

const USER = 'ada@example.org';
const PASSWORD = 'a password only for tests';
const START_TIMEOUT_MS = 20_000;

/**
 * @param {{ say?: Say }} [options]
 * @returns {Promise<{ ok: true, start: (folder: string) => Promise<Dovecot> } | { ok: false, reason: string }>}
 */
export async function prepareDovecot({ say = sayOnStderr } = {}) {
  if (!findDovecot()) {
    if (!mayInstallPackages()) {
      return { ok: false, reason: 'Dovecot is not installed; install dovecot-imapd.' };
    }
    const installed = await installPackages(['dovecot-imapd'], say);
    if (!installed.ok)
      return { ok: false, reason: `Dovecot is not installed, and ${installed.reason}.` };
  }
  const program = findDovecot();
  if (!program) {
    return {
      ok: false,
      reason: 'apt-get installed dovecot-imapd, but there is no program dovecot.',
    };
  }
  const version = (await capture(program, ['--version'])).stdout.trim();
  // The configuration syntax changed in 2.4.
  if (!version.startsWith('2.3.')) {
    return { ok: false, reason: `the tests need Dovecot 2.3, and this is ${version}.` };
  }
  const users = await findUsers();
  if (!users) return { ok: false, reason: 'Dovecot needs a user that has a name.' };
  return { ok: true, start: (folder) => start(program, folder, users) };
}

/** Debian installs it in /usr/sbin, which is not on the PATH of a plain user. */
function findDovecot() {
  return findProgram('dovecot') ?? findProgram('/usr/sbin/dovecot');
}

/**
 * @param {string} program
 * @param {string} folder
 * @param {Users} users
 * @returns {Promise<Dovecot>}
 */
async function start(program, folder, users) {
  const port = await freePort();
  const config = writeConfig(folder, port, users);
  const child = spawn(program, ['-F', '-c', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const kill = () => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await greets(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`Dovecot did not start: ${lastLines(output, 5)}`);
    }
    await sleep(20);
  }
  return { port, user: USER, password: PASSWORD, stop };
}

/** @typedef {{ internal: string, group: string, login: string, uid: number, gid: number }} Users */

/**
 * As root, Dovecot runs as the users that Debian created for it, because root must not own mail.
 * Otherwise everything runs as the current user.
 *
 * @returns {Promise<Users | null>} null if the user has no name, which Dovecot requires
 */
async function findUsers() {
  const root = process.getuid?.() === 0;
  const queries = ['-u', '-g', '-un', '-gn'].map((flag) =>
    capture('id', root ? [flag, 'dovecot'] : [flag]),
  );
  const answers = await Promise.all(queries);
  if (answers.some(({ ok }) => !ok)) return null;
  const [uid, gid, internal = '', group = ''] = answers.map(({ stdout }) => stdout.trim());
  const login = root ? 'dovenull' : internal;
  return { internal, group, login, uid: Number(uid), gid: Number(gid) };
}

/**
 * @param {string} folder
 * @param {number} port
 * @param {Users} users
 */
function writeConfig(folder, port, users) {
  const mail = path.join(folder, 'mail');
  mkdirSync(mail, { recursive: true });
  if (process.getuid?.() === 0) {
    chownSync(mail, users.uid, users.gid);
    chmodSync(folder, 0o755);
  }
  const passwords = path.join(folder, 'users');
  writeFileSync(passwords, `${USER}:{PLAIN}${PASSWORD}:${users.uid}:${users.gid}::${mail}\n`);
  chmodSync(passwords, 0o644);
  const file = path.join(folder, 'dovecot.conf');
  writeFileSync(file, configText({ folder, mail, passwords, port, users }));
  return file;
}

/** @param {{ folder: string, mail: string, passwords: string, port: number, users: Users }} options */
function configText({ folder, mail, passwords, port, users }) {
  const root = process.getuid?.() === 0;
  return `
base_dir = ${folder}/run
state_dir = ${folder}/run
instance_name = holdfast-test
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = ${users.internal}
default_internal_group = ${users.group}
default_login_user = ${users.login}
first_valid_uid = 1
mail_location = maildir:${mail}/%u
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${passwords}
}
userdb {
  driver = passwd-file
  args = username_format=%u ${passwords}
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
  mailbox Drafts {
    special_use = \\Drafts
    auto = create
  }
}
service imap-login {
  ${root ? '' : 'chroot ='}
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  ${root ? '' : 'chroot ='}
  # Without this, a wrong password delays the next logins.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
`;
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Whether the server greets. An open port is not enough: Dovecot listens before it can answer.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function greets(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const end = (/** @type {boolean} */ answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(2000, () => end(false));
    socket.once('data', (greeting) => end(greeting.toString().startsWith('* OK')));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
