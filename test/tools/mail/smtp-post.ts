// A real SMTP server that keeps what it has accepted, and a cable to it that can be cut anywhere.
import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

export interface Accepted {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

export interface SmtpPost {
  readonly port: number;
  readonly accepted: readonly Accepted[];
  readonly connections: () => number;
  /** When the server has forgotten every connection, and so accepts nothing more from them. */
  readonly quiet: () => Promise<void>;
}

export interface PostRules extends Pick<
  SMTPServerOptions,
  'hidePIPELINING' | 'onRcptTo' | 'onMailFrom' | 'onConnect' | 'onAuth' | 'size' | 'secure'
> {
  /** Called with a mail before it is answered; what it throws is the answer. */
  readonly deliver?: (mail: Accepted) => Promise<void> | void;
}

export const SMTP_PASSWORD = 'correct horse / battery ÷ staple';

export async function startPost(rules: PostRules = {}): Promise<SmtpPost> {
  const accepted: Accepted[] = [];
  const connections = new Set<net.Socket>();
  const { deliver, ...options } = rules;
  const server = new SMTPServer({
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === SMTP_PASSWORD
        ? done(null, { user: username })
        : done(replyError(535, `5.7.8 not the password: ${password}`)),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const mail = {
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        };
        const answer = async (): Promise<void> => {
          try {
            await deliver?.(mail);
            accepted.push(mail);
            done(null, 'queued');
          } catch (error) {
            done(error as Error);
          }
        };
        void answer();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  server.server.on('connection', (socket: net.Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return {
    port: portOf(server.server),
    accepted,
    connections: () => connections.size,
    quiet: async () => {
      for (const socket of connections) await once(socket, 'close');
      // What had arrived by then is still being read.
      await nextTurn();
    },
  };
}

/** An error that smtp-server answers with this code. */
export function replyError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

export interface Cable {
  /** Gets what the client sends and says how much of it passes; less than all cuts the cable. */
  readonly up?: (chunk: Buffer) => number;
  readonly down?: (chunk: Buffer) => number;
  readonly onConnect?: 'cut';
}

/** Listens in the place of the server and passes on what the cable lets through. */
export async function layCable(post: SmtpPost, newCable: () => Cable): Promise<SmtpPost> {
  const proxy = net.createServer((client) => {
    const cable = newCable();
    if (cable.onConnect === 'cut') {
      client.destroy();
      return;
    }
    const server = net.connect(post.port, '127.0.0.1');
    pass(client, server, cable.up);
    pass(server, client, cable.down);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
  });
  return { ...post, port: portOf(proxy) };
}

function pass(from: net.Socket, to: net.Socket, letThrough = (chunk: Buffer) => chunk.length) {
  from.on('data', (chunk: Buffer) => {
    const bytes = letThrough(chunk);
    if (bytes > 0) to.write(chunk.subarray(0, bytes));
    if (bytes < chunk.length) {
      from.destroy();
      // What was let through still arrives.
      to.end();
    }
  });
  from.on('error', () => {});
  from.on('close', () => to.end());
}

/** Cuts when `text` is about to pass. */
export function cutBefore(text: string): (chunk: Buffer) => number {
  let seen = '';
  return (chunk) => {
    const before = seen.length;
    seen += chunk.toString('latin1');
    const at = seen.indexOf(text);
    return at === -1 ? chunk.length : Math.max(0, at - before);
  };
}

/** Lets this many bytes through in all. */
export function cutAfter(bytes: number): (chunk: Buffer) => number {
  let room = bytes;
  return (chunk) => {
    const passing = Math.min(chunk.length, room);
    room -= passing;
    return passing;
  };
}

function portOf(server: net.Server): number {
  return (server.address() as net.AddressInfo).port;
}
