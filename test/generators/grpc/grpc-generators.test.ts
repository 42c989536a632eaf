import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { NamedGenerator } from '../../../src/generators/generator.js';
import { createGrpcGenerators } from '../../../src/generators/grpc/grpc-generators.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { readGoldenCase, toGoldenYaml } from '../golden-case.js';
import { ENCODER, toJson } from '../served-resources.js';

const FOLDER = join(projectRoot(), 'test/generators/grpc/golden');
const GOLDEN = readGoldenCase('grpc', readFileSync(join(FOLDER, 'in.yaml'), 'utf8'));

const WEB = 'web.shop.svc.cluster.local';
const CLUSTERS = [
  `outbound|80||${WEB}`,
  `outbound|80|v1|${WEB}`,
  `outbound|80|v2|${WEB}`,
  'outbound|443||names.example.com',
  'outbound|80||localities.example.com',
  'outbound|80||own-tls.example.com',
  'outbound|80||mesh-tls.example.com',
  'outbound|80||*.example.org',
  'outbound|80||nowhere.example.com',
];
/** What each kind of client asks for, by type in the order of the generators. */
const CLIENT = [
  [...CLUSTERS, 'BlackHoleCluster', 'other'],
  [...CLUSTERS, 'other'],
  ['web.shop:80', 'nowhere:80', 'web.shop', 'a/b:80'],
  ['web.shop:80', `${WEB}:80`, 'names.example.com:443', 'nowhere:80', 'web.shop:81', 'a.example.org:80'],
];
const SERVER = [[], [], [8080, 8081, 8082].map((port) => `grpc/lds/inbound/[::]:${port}`), []];
const TYPES = ['clusters', 'endpoints', 'listeners', 'routes'];

function served(title: string): object {
  const proxy = GOLDEN.proxies.get(title);
  if (proxy === undefined) throw new Error(`no ${title}`);
  const generators = createGrpcGenerators(ENCODER, GOLDEN.settings, true) as readonly NamedGenerator[];
  const findings: string[] = [];
  const types = generators.map((generator, index) => {
    const names = (title.startsWith('client') ? CLIENT : SERVER)[index] ?? [];
    const scope = generator.scope(GOLDEN.context, proxy);
    const resources = names.map((name) => {
      const resource = generator.generate(GOLDEN.context, scope, name);
      findings.push(...(generator.findings?.(GOLDEN.context, scope, name) ?? []).map(({ message }) => message));
      return resource === undefined ? { missing: name } : toJson(resource);
    });
    return [TYPES[index] ?? '', resources] as const;
  });
  return { ...Object.fromEntries(types), findings };
}

for (const title of GOLDEN.proxies.keys()) {
  test(`what a gRPC ${title} gets is as in the golden file (UPDATE_GOLDEN=1 rewrites it)`, (t) => {
    const path = join(FOLDER, `${title.replaceAll(' ', '-')}.yaml`);
    const actual = toGoldenYaml(served(title));
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, actual);
    t.true(existsSync(path), `${path} is missing: run again with UPDATE_GOLDEN=1, and read what it wrote`);
    t.is(actual, readFileSync(path, 'utf8'));
  });
}
