import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { load } from 'js-yaml';

const root = new URL('../../../../', import.meta.url);

interface Rendered {
  readonly file: string;
  readonly content: string;
}

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly {
      readonly name: string;
      readonly subresources: object;
      readonly additionalPrinterColumns: readonly { readonly name: string }[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

async function render(meshDomain: string): Promise<readonly Rendered[]> {
  const renderer: { renderCrds(domain: string): readonly Rendered[] } = await import(
    new URL('scripts/render-crds.mjs', root).href
  );
  return renderer.renderCrds(meshDomain);
}

async function crds(meshDomain = 'mesh.internal'): Promise<readonly Crd[]> {
  return (await render(meshDomain)).map(({ content }) => load(content) as Crd);
}

function schemaOf(crd: Crd): Schema {
  return crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
}

/** Every schema that describes a value, with its path, without those inside oneOf, allOf and anyOf. */
function* nodesOf(schema: Schema, path = ''): Iterable<readonly [string, Schema]> {
  yield [path, schema];
  for (const [name, each] of Object.entries(schema.properties ?? {})) yield* nodesOf(each, `${path}.${name}`);
  if (schema.items !== undefined) yield* nodesOf(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* nodesOf(schema.additionalProperties, `${path}{}`);
}

async function pathsWhere(isBad: (schema: Schema) => boolean): Promise<readonly string[]> {
  return (await crds()).flatMap((crd) =>
    [...nodesOf(schemaOf(crd))].filter(([, schema]) => isBad(schema)).map(([path]) => crd.metadata.name + path),
  );
}

test('crds/ is what npm run generate writes, and nothing else', async (t) => {
  const rendered = await render('mesh.internal');
  t.deepEqual(
    (await readdir(new URL('crds/', root))).filter((name) => name.endsWith('.yaml')).map((name) => `crds/${name}`),
    rendered.map(({ file }) => file).sort(),
  );
  for (const { file, content } of rendered) t.is(await readFile(new URL(file, root), 'utf8'), content, file);
});

test('there is a CRD for each kind of the mesh, namespaced, with short names, columns and a status of its own', async (t) => {
  t.deepEqual(
    (await crds()).map(({ metadata, spec }) => [
      metadata.name,
      spec.names.kind,
      spec.scope,
      (spec.names.shortNames ?? []).join(),
      spec.versions.map(({ name }) => name).join(),
      Object.keys(spec.versions[0]?.subresources ?? {}).join(),
      spec.versions[0]?.additionalPrinterColumns.map(({ name }) => name).join(),
    ]),
    [
      ['httpapispecs.config', 'HTTPAPISpec', 'has', 'v1alpha2'],
      ['httpapispecbindings.config', 'HTTPAPISpecBinding', 'hasb', 'v1alpha2'],
      ['quotaspecs.config', 'QuotaSpec', 'qs', 'v1alpha2', 'Dry-Run,'],
      ['quotaspecbindings.config', 'QuotaSpecBinding', 'qsb', 'v1alpha2'],
      ['plans.config', 'Plan', '', 'v1alpha2', 'Anonymous,'],
      ['consumers.config', 'Consumer', '', 'v1alpha2', 'Plan,'],
      ['attributemanifests.config', 'attributemanifest', '', 'v1alpha2'],
      ['handlers.config', 'handler', '', 'v1alpha2', 'Adapter,Own-Adapter,'],
      ['instances.config', 'instance', '', 'v1alpha2', 'Template,Own-Template,'],
      ['rules.config', 'rule', '', 'v1alpha2', 'Match,Dry-Run,'],
      ['adapters.config', 'adapter', '', 'v1alpha2'],
      ['templates.config', 'template', '', 'v1alpha2'],
      ['serviceentries.networking', 'ServiceEntry', 'se', 'v1beta1,v1alpha3', 'Hosts,Resolution,'],
      ['workloadentries.networking', 'WorkloadEntry', 'we', 'v1beta1,v1alpha3', 'Address,'],
      ['virtualservices.networking', 'VirtualService', 'vs', 'v1beta1,v1alpha3'],
      ['destinationrules.networking', 'DestinationRule', 'dr', 'v1beta1,v1alpha3'],
      ['gateways.networking', 'Gateway', 'gw', 'v1beta1,v1alpha3'],
      ['sidecars.networking', 'Sidecar', 'sc', 'v1beta1,v1alpha3'],
      ['envoyfilters.networking', 'EnvoyFilter', 'ef', 'v1beta1,v1alpha3'],
      ['peerauthentications.security', 'PeerAuthentication', 'pa', 'v1beta1', 'Mode,'],
      ['requestauthentications.security', 'RequestAuthentication', 'ra', 'v1beta1'],
      ['authorizationpolicies.security', 'AuthorizationPolicy', 'ap', 'v1beta1', 'Action,'],
    ].map(([name, kind, short, version, own = '']) => [
      `${name}.mesh.internal`,
      kind,
      'Namespaced',
      short,
      version,
      'status',
      `${own}Accepted,Refs,In-Force,Proxies,Age,Validity,Enforcement,References`,
    ]),
  );
});

test('another mesh domain changes the group and the name, and nothing else', async (t) => {
  const ours = await render('mesh.internal');
  const theirs = await render('acme.io');
  t.deepEqual(
    theirs,
    ours.map(({ file, content }) => ({ file, content: content.replaceAll('.mesh.internal', '.acme.io') })),
  );
  t.true(theirs[0]?.content.includes('group: config.acme.io'));
});

test('every value has a type, as a structural schema requires', async (t) => {
  t.deepEqual(
    await pathsWhere(({ type, ...schema }) => (type === undefined) !== 'x-kubernetes-int-or-string' in schema),
    [],
  );
});

test('there are no keywords that a structural schema forbids', async (t) => {
  const known = new Set(
    'type description properties additionalProperties items required default enum format pattern minLength maxLength minItems maxItems minProperties maxProperties minimum maximum anyOf x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields x-kubernetes-validations x-kubernetes-list-type x-kubernetes-list-map-keys'.split(
      ' ',
    ),
  );
  t.deepEqual(await pathsWhere((schema) => Object.keys(schema).some((keyword) => !known.has(keyword))), []);
});

test('no object has both fields and free keys, and no free keys are forbidden', async (t) => {
  t.deepEqual(
    await pathsWhere(({ properties, additionalProperties }) =>
      additionalProperties === undefined ? false : properties !== undefined || typeof additionalProperties !== 'object',
    ),
    [],
  );
});

test('every choice has a form whose rejection by the API server names the field', async (t) => {
  t.deepEqual((await pathsWhere(({ minProperties }) => minProperties === 1)).toSorted(), [
    'consumers.config.mesh.internal.spec.keys[]',
    'handlers.config.mesh.internal.spec.connection.authentication',
    'httpapispecs.config.mesh.internal.spec.apiKeys[]',
    'httpapispecs.config.mesh.internal.spec.attributes.attributes{}',
    'httpapispecs.config.mesh.internal.spec.patterns[].attributes.attributes{}',
    'plans.config.mesh.internal.spec.limits[].match[].clause{}',
    'plans.config.mesh.internal.spec.match[].clause{}',
    'quotaspecs.config.mesh.internal.spec.rules[].match[].clause{}',
    'virtualservices.networking.mesh.internal.spec.http[].corsPolicy.allowOrigins[]',
    'virtualservices.networking.mesh.internal.spec.http[].match[].authority',
    'virtualservices.networking.mesh.internal.spec.http[].match[].method',
    'virtualservices.networking.mesh.internal.spec.http[].match[].scheme',
    'virtualservices.networking.mesh.internal.spec.http[].match[].uri',
  ]);
  t.deepEqual((await pathsWhere((schema) => schema['x-kubernetes-validations'] !== undefined)).toSorted(), [
    'handlers.config.mesh.internal.spec',
    'handlers.config.mesh.internal.spec.connection.authentication.tls',
    'httpapispecbindings.config.mesh.internal.spec.services[]',
    'httpapispecs.config.mesh.internal.spec.patterns[]',
    'instances.config.mesh.internal.spec',
    'plans.config.mesh.internal.spec.services[]',
    'quotaspecbindings.config.mesh.internal.spec.services[]',
    'virtualservices.networking.mesh.internal.spec.http[].fault.abort',
  ]);
});

test('no field with a default is required, because the API server fills it in', async (t) => {
  t.deepEqual(
    await pathsWhere(({ required = [], properties = {} }) =>
      required.some((name) => properties[name] === undefined || properties[name]?.default !== undefined),
    ),
    [],
  );
});

test('every list, map and text of users has a limit', async (t) => {
  const isUnbounded = (schema: Schema): boolean =>
    (schema.type === 'array' && schema['maxItems'] === undefined) ||
    (schema.additionalProperties !== undefined && schema['maxProperties'] === undefined) ||
    (schema.type === 'string' &&
      schema['maxLength'] === undefined &&
      schema['enum'] === undefined &&
      schema['format'] !== 'date-time');
  t.deepEqual(await pathsWhere(isUnbounded), []);
});

test('every field has a description', async (t) => {
  const missing = (await crds()).flatMap((crd) =>
    [...nodesOf(schemaOf(crd))].flatMap(([path, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { description }]) => description === undefined)
        .map(([name]) => `${path}.${name}`),
    ),
  );
  t.deepEqual(missing, []);
});
