import test from 'ava';
import { readObject, refusalsOf } from '../support/read-yaml.js';

function object(spec: string): string {
  return `{apiVersion: networking.mesh.internal/v1beta1, kind: VirtualService, metadata: {name: v}, spec: ${spec}}`;
}

/** An object with one HTTP route. */
const http = (fields: string): string => `{hosts: [web], http: [{${fields}}]}`;
const ROUTE = 'route: [{destination: {host: web}}]';

const accepted: readonly (readonly [string, string])[] = [
  ['one destination', http(ROUTE)],
  ['a single destination with any weight', http('route: [{destination: {host: web}, weight: 7}]')],
  [
    'a destination without any share',
    http('route: [{destination: {host: web}, weight: 100}, {destination: {host: b}, weight: 0}]'),
  ],
  [
    'wildcards, addresses and several hosts',
    '{hosts: ["*.example.com", 10.0.0.1, web, shop.default.svc.cluster.local], http: [{route: [{destination: {host: web}}]}]}',
  ],
  ['every host at a gateway', '{hosts: ["*"], gateways: [edge/public], http: [{route: [{destination: {host: web}}]}]}'],
  [
    'all forms of gateway names',
    `{hosts: [web], gateways: [mesh, public, edge/public, ./other, old.edge.svc.cluster.local], http: [{${ROUTE}}]}`,
  ],
  [
    'all comparisons',
    http(
      `match: [{uri: {exact: /a}, scheme: {exact: http}, method: {regex: G.T}, authority: {prefix: web}, headers: {a: {exact: ""}, b: {}}, withoutHeaders: {c: {prefix: x}}, queryParams: {q: {regex: "[0-9]+"}}, port: 80, sourceLabels: {app: a}, sourceNamespace: shop, gateways: [mesh], ignoreUriCase: true}], ${ROUTE}`,
    ),
  ],
  ['status codes among the conditions of retries', http(`retries: {attempts: 3, retryOn: "5xx,503, reset"}, ${ROUTE}`)],
  ['no retries', http(`retries: {attempts: 0}, ${ROUTE}`)],
  [
    'commands of Envoy in the value of a header',
    http(`headers: {request: {set: {x-a: "%REQ(:path)% of 100%%"}}}, ${ROUTE}`),
  ],
  [
    'server names within its hosts',
    '{hosts: ["*.example.com"], tls: [{match: [{sniHosts: [a.example.com, "*.b.example.com"]}], route: [{destination: {host: web}}]}]}',
  ],
  [
    'connections by address',
    '{hosts: [web], tcp: [{match: [{destinationSubnets: [10.0.0.0/8, 1.2.3.4], sourceSubnet: "fd00::/8", port: 9}], route: [{destination: {host: web}}]}]}',
  ],
  ['a gRPC status', http(`fault: {abort: {grpcStatus: UNAVAILABLE}}, ${ROUTE}`)],
];

for (const [title, spec] of accepted) {
  test(`${title}: accepted`, (t) => {
    t.deepEqual(refusalsOf(object(spec)), []);
  });
}

const refused: readonly (readonly [string, string, string])[] = [
  ['no host', '{http: [{route: [{destination: {host: web}}]}]}', 'spec.hosts: []: is empty; name at least one host'],
  ['no route', '{hosts: [web]}', 'spec: has no routes; add at least one of http, tls and tcp'],
  [
    'every host of the mesh',
    `{hosts: ["*"], http: [{${ROUTE}}]}`,
    'spec.hosts[0]: "*": would take the requests of sidecars to every host',
  ],
  ['a wildcard inside a host', `{hosts: [a.*.b], http: [{${ROUTE}}]}`, 'spec.hosts[0]: "a.*.b": is not a host name'],
  ['a host twice', `{hosts: [web, WEB], http: [{${ROUTE}}]}`, 'spec.hosts[1]: "WEB": is listed twice'],
  [
    'hosts that overlap',
    `{hosts: [a.example.com, "*.example.com"], http: [{${ROUTE}}]}`,
    'spec.hosts[1]: "*.example.com": overlaps with a.example.com',
  ],
  [
    'a bad gateway name',
    `{hosts: [web], gateways: [a/b/c], http: [{${ROUTE}}]}`,
    'spec.gateways[0]: "a/b/c": is not the name of a gateway',
  ],
  [
    'exportTo with * and a name',
    `{hosts: [web], exportTo: ["*", a], http: [{${ROUTE}}]}`,
    'names "*" together with other namespaces',
  ],
  [
    'neither route nor redirect',
    http('timeout: 1s'),
    'spec.http[0]: a mapping: has no destination; set route or redirect',
  ],
  [
    'route and redirect',
    http(`redirect: {uri: /b}, ${ROUTE}`),
    'sets route and redirect together; keep one of route and redirect',
  ],
  [
    'a fault of a redirect',
    http('redirect: {uri: /b}, fault: {abort: {httpStatus: 500}}'),
    'spec.http[0].fault: a mapping: is set beside a redirect',
  ],
  [
    'a rewrite of a redirect',
    http('redirect: {uri: /b}, rewrite: {uri: /c}'),
    'spec.http[0].rewrite: a mapping: is set beside a redirect',
  ],
  [
    'weights that do not sum to 100',
    http('route: [{destination: {host: a}, weight: 50}, {destination: {host: b}, weight: 40}]'),
    'spec.http[0].route: a list of 2: has weights that sum to 90',
  ],
  [
    'weights of connections that do not sum to 100',
    '{hosts: [web], tcp: [{route: [{destination: {host: a}, weight: 1}, {destination: {host: b}}]}]}',
    'spec.tcp[0].route: a list of 2: has weights that sum to 1',
  ],
  [
    'a negative weight',
    http('route: [{destination: {host: a}, weight: -1}]'),
    'spec.http[0].route[0].weight: -1: is out of range',
  ],
  [
    'a bad destination',
    http('route: [{destination: {host: "a b"}}]'),
    'spec.http[0].route[0].destination.host: "a b": is not the host of a service',
  ],
  [
    'a port without a number',
    http('route: [{destination: {host: a, port: {}}}]'),
    'destination.port: {}: names no port',
  ],
  [
    'a bad expression',
    http(`match: [{uri: {regex: "("}}], ${ROUTE}`),
    'spec.http[0].match[0].uri.regex: "(": is not a regular expression',
  ],
  [
    'an expression that Envoy does not take',
    http(`match: [{uri: {regex: "(\\\\pL){1000}"}}], ${ROUTE}`),
    'repeats its classes of characters more often than Envoy accepts',
  ],
  [
    'two forms of a comparison',
    http(`match: [{uri: {exact: /a, prefix: /b}}], ${ROUTE}`),
    'spec.http[0].match[0].uri: a mapping: sets exact and prefix together',
  ],
  [
    'two forms for a header',
    http(`match: [{headers: {a: {exact: /a, prefix: /b}}}], ${ROUTE}`),
    'sets exact and prefix together',
  ],
  [
    'a bad name of a header',
    http(`match: [{headers: {"a b": {}}}], ${ROUTE}`),
    'spec.http[0].match[0].headers["a b"]: is not the name of a header',
  ],
  [
    'a line break in a comparison',
    http(`match: [{headers: {a: {exact: "b\\nc"}}}], ${ROUTE}`),
    'has control characters',
  ],
  ['a bad label', http(`match: [{sourceLabels: {app: "a b"}}], ${ROUTE}`), 'spec.http[0].match[0].sourceLabels.app'],
  [
    'a negative number of attempts',
    http(`retries: {attempts: -1}, ${ROUTE}`),
    'spec.http[0].retries.attempts: -1: is out of range',
  ],
  [
    'an unknown condition of retries',
    http(`retries: {attempts: 1, retryOn: "5xx,conect-failure"}, ${ROUTE}`),
    '"conect-failure": is neither a condition of Envoy nor a status code; use connect-failure',
  ],
  [
    'a status that is no redirect',
    http('redirect: {uri: /b, redirectCode: 200}'),
    'spec.http[0].redirect.redirectCode: 200: is not the status of a redirect',
  ],
  ['an empty redirect', http('redirect: {}'), 'spec.http[0].redirect: {}: leads to where the request was going'],
  ['an empty rewrite', http(`rewrite: {}, ${ROUTE}`), 'spec.http[0].rewrite: {}: changes nothing'],
  [
    'a status that no response has',
    http(`fault: {abort: {httpStatus: 100}}, ${ROUTE}`),
    'spec.http[0].fault.abort.httpStatus: 100: is not the status of a response',
  ],
  [
    'an HTTP/2 error as a fault',
    http(`fault: {abort: {http2Error: CANCEL}}, ${ROUTE}`),
    'spec.http[0].fault.abort.http2Error: "CANCEL": is not supported by Envoy; use httpStatus',
  ],
  [
    'an unknown gRPC status',
    http(`fault: {abort: {grpcStatus: GONE}}, ${ROUTE}`),
    'spec.http[0].fault.abort.grpcStatus: "GONE": is not a gRPC status',
  ],
  [
    'two errors of a fault',
    http(`fault: {abort: {grpcStatus: ABORTED, httpStatus: 500}}, ${ROUTE}`),
    'sets httpStatus and grpcStatus together',
  ],
  [
    'an exponential delay',
    http(`fault: {delay: {exponentialDelay: 1s}}, ${ROUTE}`),
    'spec.http[0].fault.delay.exponentialDelay: "1s": is not supported by Envoy; use fixedDelay',
  ],
  [
    'a delay without a time',
    http(`fault: {delay: {percent: 5}}, ${ROUTE}`),
    'spec.http[0].fault.delay.fixedDelay: is missing',
  ],
  [
    'a share of more than everything',
    http(`fault: {delay: {fixedDelay: 1s, percentage: {value: 101}}}, ${ROUTE}`),
    'percentage.value: 101: is out of range',
  ],
  ['a fault without any', http(`fault: {}, ${ROUTE}`), 'spec.http[0].fault: {}: has too few fields'],
  ['a timeout of nothing', http(`timeout: 0s, ${ROUTE}`), 'spec.http[0].timeout: "0s": is shorter than 1ms'],
  [
    'a share of a mirror that is not there',
    http(`mirrorPercent: 5, ${ROUTE}`),
    'spec.http[0].mirrorPercent: 5: is set without mirror',
  ],
  [
    'a bad method of CORS',
    http(`corsPolicy: {allowMethods: ["G T"]}, ${ROUTE}`),
    'spec.http[0].corsPolicy.allowMethods[0]: "G T": is not a method',
  ],
  [
    'a line break in a header of CORS',
    http(`corsPolicy: {allowHeaders: ["a\\r\\nb"]}, ${ROUTE}`),
    'is not the name of a header',
  ],
  [
    'half a second for CORS',
    http(`corsPolicy: {maxAge: 500ms}, ${ROUTE}`),
    'spec.http[0].corsPolicy.maxAge: "500ms": is finer than a second',
  ],
  ['a pseudo header', http(`headers: {request: {set: {":path": /}}}, ${ROUTE}`), 'is a part of the request line'],
  [
    'a line break in a header',
    http(`headers: {response: {add: {a: "b\\nc"}}}, ${ROUTE}`),
    'spec.http[0].headers.response.add.a: "b\\nc": has characters that a header cannot have',
  ],
  [
    'an unknown command in a header',
    http(`headers: {request: {set: {a: "50% off"}}}, ${ROUTE}`),
    'spec.http[0].headers.request.set.a: "% off": does not start with a command',
  ],
  [
    'a server name outside of its hosts',
    '{hosts: [a.b], tls: [{match: [{sniHosts: [c.b]}], route: [{destination: {host: web}}]}]}',
    'spec.tls[0].match[0].sniHosts[0]: "c.b": is not within the hosts of the object',
  ],
  [
    'a TLS route without condition',
    '{hosts: [a.b], tls: [{match: [], route: [{destination: {host: web}}]}]}',
    'spec.tls[0].match: []: has too few items',
  ],
  [
    'a TLS route without destination',
    '{hosts: [a.b], tls: [{match: [{sniHosts: [a.b]}], route: []}]}',
    'spec.tls[0].route: []: has too few items',
  ],
  [
    'a bad range of addresses',
    '{hosts: [a.b], tcp: [{match: [{destinationSubnets: [10.0.0.0/40]}], route: [{destination: {host: web}}]}]}',
    'spec.tcp[0].match[0].destinationSubnets[0]: "10.0.0.0/40": is neither an IP address nor a CIDR range',
  ],
  ['a delegate beside a route', http(`delegate: {name: d}, ${ROUTE}`), 'sets route and delegate together'],
  [
    'an expression beside a delegate',
    http('delegate: {name: d}, match: [{uri: {regex: "a+"}}]'),
    'spec.http[0].match[0].uri.regex: "a+": is set in a route with a delegate',
  ],
  ['an unknown field', http(`retry: {}, ${ROUTE}`), 'spec.http[0].retry'],
];

for (const [title, spec, message] of refused) {
  test(`${title}: refused`, (t) => {
    const refusals = refusalsOf(object(spec));
    t.true(
      refusals.some((each) => each.includes(message)),
      refusals.join('\n') || 'accepted',
    );
  });
}

test('routes that take too much of the configuration of proxies are refused', (t) => {
  const header = 'x'.repeat(4000);
  const routes = Array.from({ length: 200 }, () => `{headers: {request: {set: {a: ${header}}}}, ${ROUTE}}`);
  t.regex(refusalsOf(object(`{hosts: [web], http: [${routes.join()}]}`)).join(), /take about \d+ bytes/);
});

test('the routes of a wildcard take less, because each service that sidecars see gets them', (t) => {
  const header = 'x'.repeat(4000);
  const routes = Array.from({ length: 12 }, () => `{headers: {request: {set: {a: ${header}}}}, ${ROUTE}}`).join();
  const refusals = (fields: string) => refusalsOf(object(`{${fields}, http: [${routes}]}`)).join();
  t.regex(
    refusals('hosts: ["*.svc.cluster.local"]'),
    /take about \d+ bytes in the configuration of a proxy, more than 32768/,
  );
  t.is(refusals('hosts: [web]'), '');
  t.is(refusals('hosts: ["*.example.com"], gateways: [ingress]'), '');
});

test('the routes of many hosts take less each, because every host gets them', (t) => {
  const header = 'x'.repeat(4000);
  const routes = Array.from({ length: 12 }, () => `{headers: {request: {set: {a: ${header}}}}, ${ROUTE}}`).join();
  const refusals = (count: number) => {
    const hosts = Array.from({ length: count }, (_, index) => `h${index}.example.com`).join();
    return refusalsOf(object(`{hosts: [${hosts}], http: [${routes}]}`)).join();
  };
  t.is(refusals(16), '');
  t.regex(refusals(256), /take about \d+ bytes in the configuration of a proxy, more than 32768/);
});

test('absent lists are empty', (t) => {
  const { body } = readObject(object(http(ROUTE)));
  t.like(body as object, { gateways: [], tls: [], tcp: [], exportTo: [] });
});
