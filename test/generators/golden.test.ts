import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'ava';
import protobuf from 'protobufjs';
import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import { frameField, frameResource } from '../../src/envoy/message-encoder.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { tableOfVirtualHost } from '../../src/envoy/virtual-host-names.js';
import { findEnvoy } from '../counterparts/find-envoy.js';
import { messageOf, validateWithEnvoy } from './envoy-verdict.js';
import {
  commonResources,
  GOLDEN_TYPES,
  type GoldenResources,
  generateGoldenCase,
  goldenCases,
  goldenPath,
  goldenText,
  hasGoldenFile,
  nameOf,
  staleGoldenFiles,
} from './golden-runner.js';
import { ENCODER } from './served-resources.js';

const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const envoy = findEnvoy();
const testWithEnvoy = 'value' in envoy ? test : test.skip;

for (const name of goldenCases()) {
  const served = generateGoldenCase(name);

  for (const type of GOLDEN_TYPES) {
    if (!hasGoldenFile(served, type)) continue;
    test(`${name}: ${type} are as in the golden file (UPDATE_GOLDEN=1 rewrites it)`, (t) => {
      const path = goldenPath(name, type);
      const actual = goldenText(served, type);
      if (UPDATE) writeFileSync(path, actual);
      t.true(existsSync(path), `${path} is missing: run again with UPDATE_GOLDEN=1, and read what it wrote`);
      t.is(actual, readFileSync(path, 'utf8'));
    });
  }

  for (const [title, resources] of served) {
    test(`${name}: resources for "${title}" are sorted, and each name is there once`, (t) => {
      for (const type of ['endpoints', 'filters', 'routes'] as const) {
        const names = resources[type].map((resource) => resource.name);
        t.deepEqual(names, [...new Set(names)].sort());
      }
      const names = resources.clusters.map((resource) => resource.name);
      t.is(new Set(names).size, names.length);
    });

    testWithEnvoy(`${name}: Envoy takes everything for "${title}"`, async (t) => {
      const binary = 'value' in envoy ? envoy.value : '';
      const clusters = [...resources.clusters, ...resources.endpoints.map(clusterWith)];
      await t.notThrowsAsync(
        validateWithEnvoy(binary, ENCODER, { ...resources, clusters, routes: wholeTables(resources) }),
      );
    });
  }
}

test('a common resource is one of several cases, each of its own name', (t) => {
  const texts = goldenCases().flatMap((name) => {
    const served = generateGoldenCase(name);
    return GOLDEN_TYPES.map((type) => goldenText(served, type));
  });
  for (const [type, resources = []] of Object.entries(commonResources())) {
    const names = resources.map(nameOf);
    t.deepEqual(names, [...new Set(names)], type);
    for (const name of names) {
      const uses = texts.filter((text) => text.includes(`- common: ${name}\n`)).length;
      t.true(uses > 5, `${type} ${name}: ${uses} files`);
    }
  }
});

test('no golden file is left over from a case that is gone', (t) => {
  const stale = staleGoldenFiles();
  if (UPDATE) for (const path of stale) rmSync(path);
  t.deepEqual(UPDATE ? staleGoldenFiles() : stale, []);
});

/** A cluster that holds an assignment in itself: Envoy checks it as it checks one that comes by EDS. */
/** Tables with their virtual hosts, which a static configuration of Envoy cannot ask for. */
function wholeTables({ routes, 'virtual-hosts': hosts }: GoldenResources): readonly EncodedResource[] {
  return routes.map((table) => {
    const own = hosts.filter(({ name }) => tableOfVirtualHost(name) === table.name);
    if (own.length === 0) return table;
    const fields = [withoutVhds(messageOf(table)), ...own.map((host) => frameField(2, messageOf(host)))];
    return frameResource(TypeUrl.route, table.name, Buffer.concat(fields));
  });
}

/** A RouteConfiguration without field 9. */
function withoutVhds(table: Uint8Array): Uint8Array {
  const reader = protobuf.Reader.create(table);
  const kept: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    reader.skipType(tag & 7);
    if (tag >>> 3 !== 9) kept.push(table.subarray(start, reader.pos));
  }
  return Buffer.concat(kept);
}

function clusterWith(assignment: GoldenResources['endpoints'][number]): EncodedResource {
  const LOAD_ASSIGNMENT_FIELD = 33;
  const name = `endpoints of ${assignment.name}`;
  const bytes = Buffer.concat([
    ENCODER.encode(TypeUrl.cluster, { name, type: 'STATIC', connectTimeout: { seconds: 1 } }),
    frameField(LOAD_ASSIGNMENT_FIELD, messageOf(assignment)),
  ]);
  return frameResource(TypeUrl.cluster, name, bytes);
}
