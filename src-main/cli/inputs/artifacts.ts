// `holdfast artifacts list|show|save|attach INPUT …`: the files that belong to an input.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { Command } from 'commander';
import { findInput } from '#main/cli/find/find-input.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { dataOption } from '#main/cli/options/data-option.ts';
import { indented, printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import type { ArtifactView } from '#shared/api/artifacts.ts';
import { ApiError } from '#shared/api/errors.ts';
import { isJsonType } from '#shared/inputs/artifacts.ts';
import { MAX_ARTIFACT_BYTES } from '#shared/limits.ts';
import { parseExactJson } from '#shared/exact-json.ts';

const INPUT_HELP = 'Id of the input, or its beginning';
const NAME_HELP = 'Name of the artifact: the latest with this name; or its id';

interface JsonOption extends DataOption {
  readonly json?: boolean;
}

export function artifactsCommand(): Command {
  return new Command('artifacts')
    .description('List, show, save and attach the files of an input')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(saveCommand())
    .addCommand(attachCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('List the artifacts of an input')
    .argument('<input>', INPUT_HELP)
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (input: string, options: JsonOption) => {
      const artifacts = await withHost(options, (host) => list(host, input));
      if (options.json) return printJson({ artifacts });
      const heads = ['made', 'name', 'type', 'bytes', 'made by', 'content'];
      printTable(heads, artifacts.map(toRow), 'This input has no artifacts.');
    });
}

function showCommand(): Command {
  return new Command('show')
    .description('Print a text or JSON artifact')
    .argument('<input>', INPUT_HELP)
    .argument('<name>', NAME_HELP)
    .addOption(dataOption())
    .action(async (input: string, name: string, options: DataOption) => {
      const { artifact, content } = await withHost(options, (host) => read(host, input, name));
      const text = textOf(content);
      if (text === null) {
        throw new ApiError({
          type: 'invalid_input',
          message: `"${artifact.name}" is not text (${artifact.type}, ${content.length} bytes). Save it with "holdfast artifacts save".`,
        });
      }
      printLine(indented(isJsonType(artifact.type) ? prettyJson(text) : text, ''));
    });
}

function saveCommand(): Command {
  return new Command('save')
    .description('Save an artifact as a file')
    .argument('<input>', INPUT_HELP)
    .argument('<name>', NAME_HELP)
    .argument('[file]', 'The file to write; the name of the artifact by default')
    .option('--force', 'Replace an existing file')
    .addOption(dataOption())
    .action(
      async (
        input: string,
        name: string,
        file: string | undefined,
        options: DataOption & { readonly force?: boolean },
      ) => {
        const { artifact, content } = await withHost(options, (host) => read(host, input, name));
        const path = resolve(file ?? artifact.name);
        writeNew(path, content, options.force === true);
        printLine(`Saved ${content.length} bytes to ${path}.`);
      },
    );
}

function attachCommand(): Command {
  return new Command('attach')
    .description('Attach a file to an input')
    .argument('<input>', INPUT_HELP)
    .argument('<file>', `The file to attach; at most ${MAX_ARTIFACT_BYTES} bytes`)
    .option('--name <name>', 'Name of the artifact; the name of the file by default')
    .option('--type <type>', 'Media type; from the end of the file name by default')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(
      async (
        input: string,
        file: string,
        options: JsonOption & { readonly name?: string; readonly type?: string },
      ) => {
        const content = readSmall(file);
        const { artifact } = await withHost(options, async (host) =>
          host.call('artifacts.attach', {
            requestId: randomUUID(),
            inputId: (await requireInput(host, input)).id,
            name: options.name ?? basename(file),
            type: options.type ?? typeOf(file),
            base64: content.toString('base64'),
          }),
        );
        if (options.json) return printJson({ artifact });
        printLine(`Attached "${artifact.name}" (${content.length} bytes, ${artifact.type}).`);
      },
    );
}

async function list(host: HostClient, input: string): Promise<readonly ArtifactView[]> {
  const { id } = await requireInput(host, input);
  return (await host.call('artifacts.list', { inputId: id })).artifacts;
}

async function read(
  host: HostClient,
  input: string,
  name: string,
): Promise<{ readonly artifact: ArtifactView; readonly content: Buffer }> {
  const { id } = await requireInput(host, input);
  const { artifacts } = await host.call('artifacts.list', { inputId: id });
  const wanted =
    artifacts.findLast((one) => one.name === name) ?? artifacts.find((one) => one.id === name);
  if (!wanted) {
    const names = [...new Set(artifacts.map((one) => one.name))].join(', ');
    throw new ApiError({
      type: 'not_found',
      message: `This input has no artifact "${name}". ${names === '' ? 'It has none.' : `It has: ${names}.`}`,
    });
  }
  const answer = await host.call('artifacts.read', { inputId: id, artifactId: wanted.id });
  if (answer.type === 'unavailable') {
    throw new ApiError({ type: 'unreachable', message: answer.message });
  }
  return { artifact: answer.artifact, content: Buffer.from(answer.base64, 'base64') };
}

async function requireInput(host: HostClient, text: string): Promise<{ readonly id: string }> {
  const input = await findInput(host, text);
  if (input) return input;
  throw new ApiError({
    type: 'not_found',
    message: `No input has the id "${text}". "holdfast inputs" lists them.`,
  });
}

function toRow(artifact: ArtifactView): string[] {
  const { createdAt, name, type, bytes, isHere, deviceName } = artifact;
  return [
    showTime(createdAt),
    name,
    type,
    bytes === null ? '–' : String(bytes),
    madeBy(artifact),
    isHere ? 'here' : `on ${deviceName}`,
  ];
}

function madeBy({ maker, handlerName, deviceName }: ArtifactView): string {
  if (maker === 'stage') return 'Holdfast';
  return maker === 'person' ? `a person on ${deviceName}` : (handlerName ?? 'a handler');
}

function textOf(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(parseExactJson(text), null, 2);
  } catch {
    return text;
  }
}

function readSmall(file: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size <= MAX_ARTIFACT_BYTES) return readFileSync(file);
    throw new ApiError({
      type: 'too_large',
      message: `${file} has ${size} bytes; an artifact has at most ${MAX_ARTIFACT_BYTES}. Nothing was attached. Attach a text with its path instead.`,
    });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ApiError({
      type: 'not_found',
      message: `${file} can't be read: ${why}. Nothing was attached.`,
    });
  }
}

function writeNew(path: string, content: Buffer, isForced: boolean): void {
  try {
    writeFileSync(path, content, { flag: isForced ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST'
        ? `${path} exists. Choose another file, or replace it with --force.`
        : `${path} can't be written: ${error instanceof Error ? error.message : String(error)}.`;
    throw new ApiError({ type: 'conflict', message: `${why} Nothing was saved.` });
  }
}

const TYPES: { readonly [end: string]: string } = {
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
};

function typeOf(file: string): string {
  return TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
}
