// `npm run runner-openapi`: regenerates docs/runner-openapi.json from the schemas.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '#main/runner/openapi.ts';

const path = fileURLToPath(new URL('../docs/runner-openapi.json', import.meta.url));
// The version of the API, not of the app: a release must not change this file.
writeFileSync(path, `${JSON.stringify(openApiDocument('1'), null, 2)}\n`);
