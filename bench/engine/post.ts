// The POST alone, with the agent of the http tool: keep-alive, TCP_NODELAY.
import { request } from 'node:http';
import { createAgents } from '#main/tools/http/connect.ts';
import type { JsonObject } from '#shared/json.ts';

export type Post = (effectId: string, body: JsonObject) => Promise<JsonObject>;

/** Resolves with the result that the http tool would return. */
export function createPost(port: number, name: string): Post {
  const agent = createAgents().loopback.http;
  return (effectId, body) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const headers = {
        accept: '*/*',
        'user-agent': 'Holdfast',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'idempotency-key': effectId,
        'content-length': String(Buffer.byteLength(text)),
      };
      const target = { agent, method: 'POST', host: '127.0.0.1', port, path: `/effects/${name}` };
      request({ ...target, headers }, (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          answer += part;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: { ...response.headers } as JsonObject,
            json: JSON.parse(answer) as JsonObject,
          }),
        );
        response.on('error', reject);
      })
        .on('error', reject)
        .end(text);
    });
}
