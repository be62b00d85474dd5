// A real IMAP server for the mail tests: Debian's Dovecot with a configuration of its own in a
// temporary folder, on a free port of the loopback address. No configuration of the system is
// read or touched. Where Dovecot cannot be had, the tests get the reason and say "not run".

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
      return { ok: false, reason: 'there is no Dovecot; install dovecot-imapd.' };
    }
    const installed = await installPackages(['dovecot-imapd'], say);
    if (!installed.ok)
      return { ok: false, reason: `there is no Dovecot, and ${installed.reason}.` };
  }
  const program = findDovecot();
  if (!program) {
    return { ok: false, reason: 'Debian has installed Dovecot, but there is no such program.' };
  }
  const version = (await capture(program, ['--version'])).stdout.trim();
  // 2.4 has another language of configuration, which ours is not written in.
  if (!version.startsWith('2.3.')) {
    return { ok: false, reason: `Dovecot ${version} is not one that the tests know (2.3).` };
  }
  const who = await findWho();
  if (!who) return { ok: false, reason: 'Dovecot needs a user that has a name.' };
  return { ok: true, start: (folder) => start(program, folder, who) };
}

/** Debian keeps it where the PATH of a plain user does not lead. */
function findDovecot() {
  return findProgram('dovecot') ?? findProgram('/usr/sbin/dovecot');
}

/**
 * @param {string} program
 * @param {string} folder
 * @param {Who} who
 * @returns {Promise<Dovecot>}
 */
async function start(program, folder, who) {
  const port = await freePort();
  const config = writeConfig(folder, port, who);
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
      throw new Error(`Dovecot does not start: ${lastLines(output, 5)}`);
    }
    await sleep(20);
  }
  return { port, user: USER, password: PASSWORD, stop };
}

/** @typedef {{ internal: string, group: string, login: string, uid: number, gid: number }} Who */

/**
 * Root must not own mail, and the login process of a root Dovecot runs as somebody else; without
 * root everything is the one user we are.
 *
 * @returns {Promise<Who | null>} null where that user has no name, which Dovecot asks for
 */
async function findWho() {
  const root = process.getuid?.() === 0;
  const ask = ['-u', '-g', '-un', '-gn'].map((flag) =>
    capture('id', root ? [flag, 'dovecot'] : [flag]),
  );
  const answers = await Promise.all(ask);
  if (answers.some(({ ok }) => !ok)) return null;
  const [uid, gid, internal = '', group = ''] = answers.map(({ stdout }) => stdout.trim());
  const login = root ? 'dovenull' : internal;
  return { internal, group, login, uid: Number(uid), gid: Number(gid) };
}

/**
 * @param {string} folder
 * @param {number} port
 * @param {Who} who
 */
function writeConfig(folder, port, who) {
  const mail = path.join(folder, 'mail');
  mkdirSync(mail, { recursive: true });
  if (process.getuid?.() === 0) {
    chownSync(mail, who.uid, who.gid);
    chmodSync(folder, 0o755);
  }
  const users = path.join(folder, 'users');
  writeFileSync(users, `${USER}:{PLAIN}${PASSWORD}:${who.uid}:${who.gid}::${mail}\n`);
  chmodSync(users, 0o644);
  const file = path.join(folder, 'dovecot.conf');
  writeFileSync(file, configText({ folder, mail, users, port, who }));
  return file;
}

/** @param {{ folder: string, mail: string, users: string, port: number, who: Who }} given */
function configText({ folder, mail, users, port, who }) {
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
default_internal_user = ${who.internal}
default_internal_group = ${who.group}
default_login_user = ${who.login}
first_valid_uid = 1
mail_location = maildir:${mail}/%u
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${users}
}
userdb {
  driver = passwd-file
  args = username_format=%u ${users}
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
  # Else a wrong password makes everybody wait.
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
 * A listening socket is not enough: Dovecot's master listens before anyone answers.
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
