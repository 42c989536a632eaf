// Prepares a validator for each schema of the programs with ajv's standalone mode, so that no start compiles one:
// build/src/generated/validators.js, which src/config/schema/validators.ts reads. Runs on what tsc has compiled.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'build/src/generated/validators.js');
const types = join(root, 'src/generated/validators.d.ts');

const TYPES = `import type { SchemaValidators } from '../config/schema/validators.js';

/** Validators by the key of their schema. Made by scripts/generate-validators.mjs. */
export declare const validators: Readonly<Record<string, SchemaValidators>>;
`;

const HEAD = `import equal from 'ajv/dist/runtime/equal.js';
import ucs2length from 'ajv/dist/runtime/ucs2length.js';

const modules = { 'ajv/dist/runtime/equal': equal, 'ajv/dist/runtime/ucs2length': ucs2length };
const require = (name) => modules[name];
const load = (code) => {
  const module = { exports: undefined };
  new Function('module', 'require', code)(module, require);
  return module.exports;
};
`;

/** Writes the types, and an empty file that holds until validators can be made. Runs before the compiler. */
export function declareValidators() {
  if (!existsSync(types) || readFileSync(types, 'utf8') !== TYPES) {
    mkdirSync(dirname(types), { recursive: true });
    writeFileSync(types, TYPES);
  }
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'export const validators = {};\n');
}

/** Writes the validators, unless the schemas, ajv and the scripts are unchanged since the last run. */
export async function generateValidators() {
  const { preparedSchemas } = await import('../build/src/config/prepared-schemas.js');
  const { schemaKey } = await import('../build/src/config/schema/validators.js');
  const schemas = new Map(preparedSchemas().map((schema) => [schemaKey(schema), schema]));
  const made = `// ${stampOf([...schemas.keys()])}\n`;
  if (readFileSync(file, 'utf8').startsWith(made)) return;
  const { createAjv } = await import('../build/src/config/schema/ajv-validators.js');
  const { default: standaloneCode } = await import('ajv/dist/standalone/index.js');
  const write = standaloneCode.default ?? standaloneCode;
  const codeOf = (schema, finds) => {
    // One ajv for each, or a schema would refer to another's.
    const ajv = createAjv(finds, { code: { source: true, esm: false } });
    const code = write(ajv, ajv.compile(schema));
    const unknown = [...code.matchAll(/require\("([^"]+)"\)/g)].find(([, name]) => !HEAD.includes(`'${name}'`));
    if (unknown !== undefined) throw new Error(`a validator needs ${unknown[1]}: add it to ${import.meta.filename}`);
    // As a text, of which a start reads no more than the end: most are never used, and functions would all be parsed.
    return `() => load(${JSON.stringify(transformSync(code, { minify: true, charset: 'ascii' }).code)})`;
  };
  const entries = [...schemas].map(
    ([key, schema]) =>
      `  '${key}': {\n    first: ${codeOf(schema, 'first')},\n    all: ${codeOf(schema, 'all')},\n  },\n`,
  );
  writeFileSync(file, `${made}${HEAD}\nexport const validators = {\n${entries.join('')}};\n`);
}

function stampOf(keys) {
  const hash = createHash('sha256').update(keys.join());
  const parts = ['node_modules/ajv/package.json', 'scripts/generate-validators.mjs'];
  const ours = ['build/src/config/schema/ajv-validators.js'];
  for (const part of [...parts, ...ours]) hash.update(readFileSync(join(root, part)));
  return hash.digest('hex');
}
