import test from 'ava';
import { createNameTableGenerator } from '../../../src/generators/names/name-table-generator.js';
import { pushRequest } from '../../support/push-requests.js';
import { buildContext, buildEndpoints, buildProxy, buildService, type ContextParts } from '../context-builder.js';
import { ENCODER, generateAll, toJson } from '../served-resources.js';

const generator = createNameTableGenerator(ENCODER);

function tableOf(parts: ContextParts, namespace = 'default'): unknown {
  const { resources } = generateAll(generator, buildContext(parts), buildProxy({ configNamespace: namespace }));
  return resources.map((resource) => (toJson(resource) as { readonly table?: unknown }).table ?? {})[0];
}

const WEB = { ips: ['10.96.0.1'], registry: 'Orchestrator', shortname: 'web', namespace: 'default' };

test('a service of Kubernetes has its address, its short name and its namespace, for proxies of any namespace', (t) => {
  const table = { 'web.default.svc.cluster.local': WEB };
  t.deepEqual(tableOf({ services: [buildService()] }), table);
  t.deepEqual(tableOf({ services: [buildService()] }, 'other'), table);
});

test('a ServiceEntry has its host alone, with its addresses or the one that the mesh assigned', (t) => {
  const entry = { registry: 'External', addresses: [], autoAddress: '240.240.0.1', resolution: 'dns' } as const;
  const services = [
    buildService({ ...entry, hostname: 'API.example.com' }),
    buildService({ ...entry, hostname: 'fixed.example.com', addresses: ['192.0.2.1'] }),
    buildService({ ...entry, hostname: '*.wild.example.com' }),
    buildService({ ...entry, hostname: 'kept.example.com', resolution: 'passthrough' }),
  ];
  t.deepEqual(tableOf({ services }), {
    'api.example.com': { ips: ['240.240.0.1'], registry: 'External' },
    'fixed.example.com': { ips: ['192.0.2.1'], registry: 'External' },
  });
});

test('a headless service has its endpoints, and each pod with a host name', (t) => {
  const service = buildService({ addresses: [], headless: true, resolution: 'passthrough' });
  const pods = [
    { address: '10.0.0.2', hostname: 'web-1' },
    { address: '10.0.0.1', hostname: 'web-0' },
    { address: '10.0.0.3' },
  ];
  t.deepEqual(tableOf({ services: [service], endpoints: [buildEndpoints(service, pods)] }), {
    'web.default.svc.cluster.local': { ...WEB, ips: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] },
    'web-0.web.default.svc.cluster.local': { ...WEB, ips: ['10.0.0.1'], shortname: 'web-0.web' },
    'web-1.web.default.svc.cluster.local': { ...WEB, ips: ['10.0.0.2'], shortname: 'web-1.web' },
  });
});

test('a name belongs to the Service before a ServiceEntry', (t) => {
  const hostname = 'web.default.svc.cluster.local';
  const services = [buildService({ registry: 'External', hostname, addresses: ['192.0.2.1'] }), buildService()];
  t.deepEqual(tableOf({ services }), { [hostname]: WEB });
});

test('a proxy without services gets an empty table', (t) => {
  t.deepEqual(tableOf({}), {});
});

test('the table changes with services and with endpoints of headless ones, and not with others', (t) => {
  const context = buildContext({
    services: [
      buildService(),
      buildService({ hostname: 'db.default', addresses: [], headless: true, resolution: 'passthrough' }),
    ],
  });
  const touched = (request: Parameters<typeof pushRequest>[0]) =>
    generator.affectedBy(pushRequest(request), 'sidecar', context);
  t.true(touched({ changed: new Set(['Service/default/a']) }));
  t.true(touched({ full: false, changed: new Set(), endpoints: new Set(['db.default']) }));
  t.false(touched({ full: false, changed: new Set(), endpoints: new Set(['web.default.svc.cluster.local']) }));
  t.false(touched({ changed: new Set(['QuotaSpec/default/a']) }));
});
