// The OpenAPI document of the runner's REST API, generated from the schemas the server validates with.
import { z } from 'zod';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import {
  idempotencyKey,
  restEndpoints,
  restError,
  type RestOperation,
} from '#shared/api/runner-rest.ts';
import type { JsonObject } from '#shared/json.ts';

const DESCRIPTIONS: { readonly [status: number]: string } = {
  200: 'OK',
  201: 'Created',
  400: 'The body is not JSON.',
  401: 'The token is missing or wrong.',
  404: 'No such script, repo or job.',
  409: 'The request conflicts with the current state.',
  413: 'The body is too large.',
  422: 'A value is not allowed; `problems` names it.',
  429: 'Too many jobs are queued.',
};

export function openApiDocument(version: string): JsonObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const name of Object.keys(restEndpoints) as RestOperation[]) {
    const { method, path } = restEndpoints[name];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name) };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Holdfast runner',
        version,
        description: "Runs scripts listed in this device's registry.",
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: 'http://127.0.0.1' }],
      security: [{ token: [] }],
      paths,
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
    { override: numbersInQueries },
  );
  return document as unknown as JsonObject;
}

function operation(name: RestOperation): ZodOpenApiOperationObject {
  const { path, summary, query, body, answers, errors } = restEndpoints[name];
  const pathNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const errorStatuses: readonly number[] = [401, ...errors];
  return {
    operationId: name,
    summary,
    requestParams: {
      ...(pathNames.length > 0 && {
        path: z.object(Object.fromEntries(pathNames.map((parameter) => [parameter, z.string()]))),
      }),
      ...(Object.keys(query.shape).length > 0 && { query }),
      ...(name === 'createJob' && {
        header: z.object({ 'Idempotency-Key': idempotencyKey.optional() }),
      }),
    },
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: Object.fromEntries([
      ...Object.entries(answers).map(([status, schema]) => [status, response(status, schema)]),
      ...errorStatuses.map((status) => [`${status}`, response(`${status}`, restError)]),
    ]),
  };
}

function response(status: string, schema: z.ZodType): object {
  return {
    description: DESCRIPTIONS[Number(status)] ?? '',
    ...(status === '429' && { headers: z.object({ 'Retry-After': z.int().nonnegative() }) }),
    content: json(schema),
  };
}

function json(schema: z.ZodType): { 'application/json': { schema: z.ZodType } } {
  return { 'application/json': { schema } };
}

/** Query parameters arrive as text; digits that the server parses are documented as integers. */
const numbersInQueries: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema }) => {
  if (jsonSchema.pattern !== '^\\d{1,15}$') return;
  delete jsonSchema.pattern;
  jsonSchema.type = 'integer';
  jsonSchema.minimum = 0;
};
