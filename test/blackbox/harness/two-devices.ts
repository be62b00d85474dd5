// Two devices of one person, and a workflow as each of them sees it.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Host } from '#test/blackbox/harness/host.ts';
import { pairByLink } from '#test/blackbox/harness/pairing.ts';
import type { Workflow } from '#test/blackbox/harness/workflow.ts';
import type { World } from '#test/blackbox/harness/world.ts';

/** Two paired devices of this scenario only. The desk keeps its address over a restart. */
export async function ownPair(w: World): Promise<readonly [Host, Host]> {
  const env = { HOLDFAST_LINK_PORT: String(await freePort()) };
  const [desk, laptop] = await Promise.all([w.ownHost({ env }), w.ownHost()]);
  await desk.says('rename', 'Desk');
  await laptop.says('rename', 'Laptop');
  await pairByLink(desk, laptop);
  return [desk, laptop];
}

/** The workflow as the other device sees it, once it has arrived there. */
export async function seenOn(w: World, workflow: Workflow, host: Host): Promise<Workflow> {
  await w.until(
    `"${workflow.name}" has arrived`,
    () => host.workflows(),
    (all) => all.some(({ id, scriptId }) => id === workflow.id && scriptId !== null),
  );
  return workflow.on(host);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
