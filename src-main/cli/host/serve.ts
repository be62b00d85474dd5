// `holdfast serve`: runs the host without a window and serves the API on loopback.
import { spawn } from 'node:child_process';
import { Command } from 'commander';
import type { HttpServer } from '#main/api/transport/http-server.ts';
import { dataOption } from '#main/cli/options/data-option.ts';
import { parsePort } from '#main/cli/options/port-option.ts';
import { waitForStopSignal } from '#main/cli/stop-signal.ts';
import { enableEarlyTierUp } from '#main/platform/v8-tier-up.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { chooseStateDir } from '#main/data-folder/state-dir.ts';
import { resolveLinkAddress } from '#main/host/link-address.ts';
import type { HookServer } from '#main/inputs/hook-route.ts';
import type { Host } from '#main/host/host.ts';
import { StartError } from '#main/platform/start-error.ts';

interface ServeOptions {
  readonly data?: string;
  readonly port: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly open?: boolean;
  readonly linkHost?: string;
  readonly linkPort?: number;
  readonly hookHost?: string;
  readonly hookPort: number;
}

export function serveCommand(exitWith: (code: number) => void): Command {
  return new Command('serve')
    .description('Run the host without a window; open it in a browser')
    .addOption(dataOption())
    .option('--port <n>', 'Port on loopback, or 0 for any free port', parsePort, 0)
    .option('--json', 'Print {"url":…,"token":…,"pid":…} as the first line')
    .option('--quiet', 'Print nothing; for services whose output others may read')
    .option('--link-host <address>', 'Address to listen on for your other devices')
    .option('--link-port <n>', 'Port to listen on for your other devices', parsePort)
    .option('--hook-host <address>', 'Address to listen on for webhooks, besides loopback')
    .option('--hook-port <n>', 'Port to listen on for webhooks', parsePort, 0)
    .option('--open', 'Open a browser, if there is one')
    .action(async (options: ServeOptions) => exitWith(await serve(options)));
}

async function serve(options: ServeOptions): Promise<number> {
  enableEarlyTierUp();
  const dataDir = chooseDataDir(options.data);
  const { createHost } = await import('#main/host/host.ts');
  const { createLog } = await import('#main/host/log.ts');
  const host = createHost({
    dataDir,
    stateDir: chooseStateDir(),
    createLog: (masker) => createLog(dataDir, masker),
    links: resolveLinkAddress({ host: options.linkHost, port: options.linkPort }),
  });
  try {
    const server = await startServer(host, options.port);
    const hooks = await startHooks(host, options);
    host.folder.lock.announce({ pid: process.pid, startedAt: host.startedAt, url: server.url });
    const stopped = waitForStopSignal();
    printAddress(options, { url: server.url, hooks: hooks?.url }, host.token.current, dataDir);
    await stopped;
    await hooks?.close();
    await server.close();
    return 0;
  } finally {
    await host.close();
  }
}

/** Listens only on an address that a person chose. Each hook still verifies its secret. */
async function startHooks(host: Host, options: ServeOptions): Promise<HookServer | undefined> {
  if (options.hookHost === undefined) return undefined;
  const { startHookServer } = await import('#main/inputs/hook-route.ts');
  try {
    const { hookHost, hookPort } = options;
    return await startHookServer({
      route: host.inputs.hookRoute,
      host: hookHost,
      port: hookPort,
      log: host.log,
    });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EINVAL'].includes(code))
      throw error;
    throw new StartError(
      'port_in_use',
      `Could not listen for webhooks on ${options.hookHost}, port ${options.hookPort} (${code}). Nothing was started. Choose an address of this machine and a free port.`,
      { cause: error },
    );
  }
}

async function startServer(host: Host, port: number): Promise<HttpServer> {
  const { startHttpServer } = await import('#main/api/transport/http-server.ts');
  try {
    return await startHttpServer({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartError(
      'port_in_use',
      `Port ${port} is in use by another program. Nothing was started. Choose another port with --port, or omit --port.`,
      { cause: error },
    );
  }
}

function printAddress(
  options: ServeOptions,
  { url, hooks }: { readonly url: string; readonly hooks: string | undefined },
  token: string,
  dataDir: string,
): void {
  if (options.quiet) return;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ url, token, pid: process.pid, hooks })}\n`);
    return;
  }
  // The token is in the fragment, which browsers never send to a server.
  const address = `${url}/#token=${token}`;
  process.stdout.write(
    `Holdfast is running. Open this address in a browser:\n\n  ${address}\n\n${hooks === undefined ? '' : `Webhooks: ${hooks}/hooks/\n`}Data folder: ${dataDir}\nPress Ctrl+C to stop.\n`,
  );
  if (options.open) openBrowser(address);
}

/** Best effort: the address is printed in any case. */
function openBrowser(address: string): void {
  const { platform, env } = process;
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const child = spawn(...openerOf(platform, address), { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function openerOf(platform: NodeJS.Platform, address: string): [string, string[]] {
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return [platform === 'darwin' ? 'open' : 'xdg-open', [address]];
}
