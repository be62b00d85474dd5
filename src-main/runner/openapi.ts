// The OpenAPI document of the runner's REST API, made from the schemas that the server checks by.
import { z } from 'zod';
import {
  idempotencyKey,
  restEndpoints,
  restError,
  type RestOperation,
} from '#shared/api/runner-rest.ts';
import type { JsonObject } from '#shared/json.ts';

const REASONS: { readonly [status: number]: string } = {
  200: 'OK',
  201: 'Created',
  400: 'The body is not JSON.',
  401: 'The token is missing or wrong.',
  404: 'There is no such script, repo or job.',
  409: 'It does not fit what is there.',
  413: 'The body is too large.',
  422: 'Something in it is not allowed; `problems` names it.',
  429: 'Too many jobs wait already.',
};

export function openApiDocument(version: string): JsonObject {
  const components: JsonObject = {};
  const paths: { [path: string]: JsonObject } = {};
  for (const name of Object.keys(restEndpoints) as RestOperation[]) {
    const { method, path } = restEndpoints[name];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast runner',
      version,
      description: 'Runs scripts that the registry of this device lists.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(name: RestOperation, components: JsonObject): JsonObject {
  const { path, summary, query, body, answers, errors } = restEndpoints[name];
  const parameters = [
    ...pathParameters(path),
    ...queryParameters(query, components),
    ...(name === 'createJob' ? [keyHeader(components)] : []),
  ];
  const responses: JsonObject = {};
  for (const [status, schema] of Object.entries(answers)) {
    responses[status] = response(Number(status), schema, components, 'output');
  }
  for (const status of [401, ...errors]) {
    responses[String(status)] = response(status, restError, components, 'output');
  }
  return {
    operationId: name,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null
      ? {}
      : { requestBody: { required: true, content: json(body, components, 'input') } }),
    responses,
  };
}

function response(
  status: number,
  schema: z.ZodType,
  components: JsonObject,
  io: 'input' | 'output',
): JsonObject {
  const headers =
    status === 429 ? { headers: { 'Retry-After': { schema: { type: 'integer' } } } } : {};
  return { description: REASONS[status] ?? '', ...headers, content: json(schema, components, io) };
}

function json(schema: z.ZodType, components: JsonObject, io: 'input' | 'output'): JsonObject {
  return { 'application/json': { schema: schemaOf(schema, components, io) } };
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodObject, components: JsonObject): JsonObject[] {
  const { properties = {} } = schemaOf(query, components, 'input') as {
    properties?: { [name: string]: JsonObject };
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    // In the address all are text; what they mean is a number where the text must be digits.
    schema: schema['pattern'] === '^\\d{1,15}$' ? { type: 'integer', minimum: 0 } : schema,
  }));
}

function keyHeader(components: JsonObject): JsonObject {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: schemaOf(idempotencyKey, components, 'input'),
  };
}

/** JSON Schema of it; what has a name goes to the components once, and is referred to. */
function schemaOf(schema: z.ZodType, components: JsonObject, io: 'input' | 'output'): JsonObject {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
  const named = (made['$defs'] ?? {}) as JsonObject;
  delete made['$defs'];
  delete made['$schema'];
  const name = made['id'];
  delete made['id'];
  for (const [key, value] of Object.entries(named)) components[key] = tidy(value as JsonObject);
  if (typeof name !== 'string') return referring(made) as JsonObject;
  components[name] = tidy(made);
  return { $ref: `#/components/schemas/${name}` };
}

function tidy(schema: JsonObject): JsonObject {
  const { id: _id, ...rest } = referring(schema) as JsonObject;
  return rest;
}

/** References within one schema become references within the document. */
function referring(value: JsonObject[string]): JsonObject[string] {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : referring(member),
    ]),
  );
}
