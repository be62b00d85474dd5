// A real SMTP server that records the mails it accepts, and a proxy to it that can cut the connection.
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

export interface TestSmtpServer {
  readonly port: number;
  readonly accepted: readonly Accepted[];
  readonly connections: () => number;
  /** Resolves when every connection is closed, so that no further mail is accepted. */
  readonly quiet: () => Promise<void>;
}

export interface ServerRules extends Pick<
  SMTPServerOptions,
  'hidePIPELINING' | 'onRcptTo' | 'onMailFrom' | 'onConnect' | 'onAuth' | 'size' | 'secure'
> {
  /** Runs with each mail before the response; an error it throws becomes the response. */
  readonly deliver?: (mail: Accepted) => Promise<void> | void;
}

export const SMTP_PASSWORD = 'correct horse / battery ÷ staple';

export async function startSmtpServer(rules: ServerRules = {}): Promise<TestSmtpServer> {
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
      // The server still reads data that arrived before the close.
      await nextTurn();
    },
  };
}

/** An error that smtp-server answers with this code. */
export function replyError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

export interface Cuts {
  /** Returns how many bytes of the client's chunk pass; fewer than all cuts the connection. */
  readonly up?: (chunk: Buffer) => number;
  readonly down?: (chunk: Buffer) => number;
  readonly onConnect?: 'cut';
}

/** Listens in place of the server and forwards the bytes that the rules let pass. */
export async function startCuttingProxy(
  post: TestSmtpServer,
  newCuts: () => Cuts,
): Promise<TestSmtpServer> {
  const proxy = net.createServer((client) => {
    const cuts = newCuts();
    if (cuts.onConnect === 'cut') {
      client.destroy();
      return;
    }
    const server = net.connect(post.port, '127.0.0.1');
    pass(client, server, cuts.up);
    pass(server, client, cuts.down);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
  });
  return { ...post, port: portOf(proxy) };
}

function pass(from: net.Socket, to: net.Socket, passBytes = (chunk: Buffer) => chunk.length) {
  from.on('data', (chunk: Buffer) => {
    const bytes = passBytes(chunk);
    if (bytes > 0) to.write(chunk.subarray(0, bytes));
    if (bytes < chunk.length) {
      from.destroy();
      // The bytes that passed still arrive.
      to.end();
    }
  });
  from.on('error', () => {});
  from.on('close', () => to.end());
}

/** Cuts before `text` passes. */
export function cutBefore(text: string): (chunk: Buffer) => number {
  let seen = '';
  return (chunk) => {
    const before = seen.length;
    seen += chunk.toString('latin1');
    const at = seen.indexOf(text);
    return at === -1 ? chunk.length : Math.max(0, at - before);
  };
}

/** Lets this many bytes pass in total. */
export function cutAfter(bytes: number): (chunk: Buffer) => number {
  let remaining = bytes;
  return (chunk) => {
    const passing = Math.min(chunk.length, remaining);
    remaining -= passing;
    return passing;
  };
}

function portOf(server: net.Server): number {
  return (server.address() as net.AddressInfo).port;
}
