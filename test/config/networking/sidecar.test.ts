import test from 'ava';
import { readObject, refusalsOf } from '../support/read-yaml.js';

function sidecar(spec: string): string {
  return `{apiVersion: networking.mesh.internal/v1beta1, kind: Sidecar, metadata: {name: s}, spec: ${spec}}`;
}

const ALL = 'egress: [{hosts: ["*/*"]}]';
const HTTP = '{number: 80, name: http, protocol: HTTP}';

const accepted: readonly (readonly [string, string])[] = [
  ['one list of hosts', '{egress: [{hosts: ["./*", "prod/web.prod.svc.cluster.local", "*/*.example.com", "~/*"]}]}'],
  ['labels', `{workloadSelector: {labels: {app: web}}, ${ALL}}`],
  [
    'a listener at a port before one without',
    `{egress: [{port: ${HTTP}, bind: 127.0.0.1, captureMode: NONE, hosts: ["./*"]}, {hosts: ["./*"]}]}`,
  ],
  [
    'a unix socket',
    '{egress: [{port: {number: 0, protocol: HTTP}, bind: "unix:///run/out", captureMode: NONE, hosts: ["./*"]}]}',
  ],
  [
    'ingress to a port, to a port of loopback, and to a socket',
    `{ingress: [{port: ${HTTP}, defaultEndpoint: ":8080"}, {port: {number: 81}, defaultEndpoint: "127.0.0.1:8081", bind: 10.0.0.1, captureMode: NONE}, {port: {number: 82, protocol: tcp}, defaultEndpoint: "unix:///run/in"}], ${ALL}}`,
  ],
  ['a policy', `{${ALL}, outboundTrafficPolicy: {mode: ALLOW_ANY}}`],
  [
    'an egress proxy',
    `{${ALL}, outboundTrafficPolicy: {mode: ALLOW_ANY, egressProxy: {host: out.mesh-system.svc.cluster.local, subset: v1, port: {number: 443}}}}`,
  ],
];

for (const [what, spec] of accepted) {
  test(`${what} is accepted`, (t) => {
    t.deepEqual(refusalsOf(sidecar(spec)), []);
  });
}

const egress = (listener: string) => `{egress: [${listener}]}`;
const ingress = (listener: string) => `{ingress: [${listener}], ${ALL}}`;

const refused: readonly (readonly [string, string, string])[] = [
  ['no egress', '{}', 'spec.egress: is missing'],
  ['an empty egress', '{egress: []}', 'spec.egress: []: has too few items'],
  ['a listener without hosts', egress('{hosts: []}'), 'spec.egress[0].hosts: []: has too few items'],
  ['a host without namespace', egress('{hosts: [web]}'), 'spec.egress[0].hosts[0]: "web": is not a namespace and'],
  ['a host that is a part', egress('{hosts: ["./web*"]}'), 'spec.egress[0].hosts[0]: "./web*": is not a namespace'],
  ['a namespace pattern', egress('{hosts: ["prod*/*"]}'), 'spec.egress[0].hosts[0]: "prod*/*": is not a namespace'],
  [
    'a listener without port before another',
    egress(`{hosts: ["./*"]}, {port: ${HTTP}, hosts: ["./*"]}`),
    'spec.egress[0]: has no port and is not the last listener',
  ],
  [
    'a port twice',
    egress(`{port: ${HTTP}, hosts: ["./*"]}, {port: ${HTTP}, hosts: ["*/*"]}`),
    'spec.egress[1].port: "80": is the port of egress[0] too',
  ],
  [
    'port 0 without a socket',
    egress('{port: {number: 0}, hosts: ["./*"]}'),
    'spec.egress[0].port.number: 0: needs a unix socket in bind',
  ],
  [
    'a socket with a port',
    egress(`{port: ${HTTP}, bind: "unix:///run/x", hosts: ["./*"]}`),
    'spec.egress[0].bind: "unix:///run/x": is a unix socket, which has no port',
  ],
  [
    'a captured socket',
    egress('{port: {number: 0}, bind: "unix:///run/x", captureMode: IPTABLES, hosts: ["./*"]}'),
    'spec.egress[0].bind: "unix:///run/x": is set with captureMode IPTABLES',
  ],
  [
    'a bind that is a name',
    egress(`{port: ${HTTP}, bind: localhost, hosts: ["./*"]}`),
    'spec.egress[0].bind: "localhost": is neither an IP address nor a unix socket',
  ],
  [
    'UDP',
    egress('{port: {number: 53, protocol: UDP}, hosts: ["./*"]}'),
    'spec.egress[0].port.protocol: "UDP": is not supported here',
  ],
  [
    'an unknown protocol',
    ingress('{port: {number: 80, protocol: FTP}, defaultEndpoint: ":1"}'),
    'spec.ingress[0].port.protocol: "FTP": is not a known protocol',
  ],
  [
    'a port name that is no label',
    ingress('{port: {number: 80, name: "a b"}, defaultEndpoint: ":1"}'),
    'spec.ingress[0].port.name: "a b": is not a valid port name',
  ],
  ['ingress without endpoint', ingress(`{port: ${HTTP}}`), 'spec.ingress[0].defaultEndpoint: is missing'],
  [
    'an endpoint elsewhere',
    ingress(`{port: ${HTTP}, defaultEndpoint: "10.0.0.1:80"}`),
    'spec.ingress[0].defaultEndpoint: "10.0.0.1:80": is not a place where the application can listen',
  ],
  [
    'ingress at a socket',
    ingress(`{port: ${HTTP}, bind: "unix:///run/x", defaultEndpoint: ":80"}`),
    'spec.ingress[0].bind: "unix:///run/x": is not an IP address',
  ],
  [
    'captured ingress at an address',
    ingress(`{port: ${HTTP}, bind: 10.0.0.1, captureMode: IPTABLES, defaultEndpoint: ":80"}`),
    'spec.ingress[0].bind: "10.0.0.1": is set with captureMode IPTABLES',
  ],
  [
    'an ingress port twice',
    ingress(`{port: ${HTTP}, defaultEndpoint: ":1"}, {port: ${HTTP}, defaultEndpoint: ":2"}`),
    'spec.ingress[1].port: "80": is the port of ingress[0] too',
  ],
  [
    'an egress proxy that gets nothing',
    `{${ALL}, outboundTrafficPolicy: {egressProxy: {host: a.b, port: {number: 1}}}}`,
    'spec.outboundTrafficPolicy.egressProxy: is set with mode REGISTRY_ONLY, which rejects the traffic',
  ],
  [
    'an egress proxy of a short name',
    `{${ALL}, outboundTrafficPolicy: {mode: ALLOW_ANY, egressProxy: {host: out, port: {number: 1}}}}`,
    'spec.outboundTrafficPolicy.egressProxy.host: "out": is not a full host name',
  ],
  [
    'an egress proxy without port',
    `{${ALL}, outboundTrafficPolicy: {mode: ALLOW_ANY, egressProxy: {host: a.b}}}`,
    'spec.outboundTrafficPolicy.egressProxy.port: is missing',
  ],
  [
    'a subset that is no label',
    `{${ALL}, outboundTrafficPolicy: {mode: ALLOW_ANY, egressProxy: {host: a.b, subset: "a b", port: {number: 1}}}}`,
    'spec.outboundTrafficPolicy.egressProxy.subset: "a b": is not the name of a subset',
  ],
];

for (const [what, spec, expected] of refused) {
  test(`${what}: refused with field, value and remedy`, (t) => {
    const refusals = refusalsOf(sidecar(spec));
    t.is(refusals.length, 1, refusals.join('\n'));
    t.true(refusals[0]?.startsWith(`Sidecar default/s: ${expected}`), refusals[0]);
    t.regex(refusals[0] ?? '', /; .+/);
  });
}

test('fields that a Sidecar leaves out have their defaults in the object that the model reads', (t) => {
  t.deepEqual(readObject(sidecar('{egress: [{hosts: ["./*"]}], outboundTrafficPolicy: {}}')).body, {
    ingress: [],
    egress: [{ bind: '', captureMode: 'DEFAULT', hosts: ['./*'] }],
    outboundTrafficPolicy: { mode: 'REGISTRY_ONLY' },
  });
});
