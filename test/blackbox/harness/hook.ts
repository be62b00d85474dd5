// A sender of webhooks: creates the hook by the command line and knows its secret.
import { createHmac } from 'node:crypto';
import type { Workflow } from '#test/blackbox/harness/workflow.ts';

interface Headers {
  readonly [name: string]: string;
}

export class Hook {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly secret: string;

  constructor(id: string, name: string, address: string, secret: string) {
    this.id = id;
    this.name = name;
    this.address = address;
    this.secret = secret;
  }

  static async create(workflow: Workflow, ...options: readonly string[]): Promise<Hook> {
    const name = `${workflow.name}-hook`;
    const command = ['hook', 'create', workflow.id, '--name', name, ...options, '--json'];
    const { hook, secret, address } = JSON.parse(await workflow.host.says(...command)) as {
      hook: { id: string };
      secret: string;
      address: string;
    };
    return new Hook(hook.id, name, address, secret);
  }

  /** With the bearer token, unless other headers are given. */
  post(
    body: string,
    headers: Headers = { Authorization: `Bearer ${this.secret}` },
  ): Promise<Response> {
    return fetch(this.address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
  }

  github(body: string, delivery: string, secret = this.secret): Promise<Response> {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return this.post(body, {
      'X-Hub-Signature-256': `sha256=${signature}`,
      'X-GitHub-Delivery': delivery,
    });
  }

  stripe(body: string, atMs: number): Promise<Response> {
    const time = Math.floor(atMs / 1000);
    const signature = createHmac('sha256', this.secret).update(`${time}.${body}`).digest('hex');
    return this.post(body, { 'Stripe-Signature': `t=${time},v1=${signature}` });
  }
}
