import test from 'ava';
import { selectProtocol, selectStatedProtocol } from '../../src/model/select-protocol.js';
import type { Protocol } from '../../src/model/service.js';

interface Case {
  readonly rule: string;
  readonly name?: string;
  readonly number?: number;
  readonly transport?: string;
  readonly appProtocol?: string;
  readonly protocol: Protocol;
}

const CASES: readonly Case[] = [
  { rule: 'a port name is a protocol', name: 'http', protocol: 'http' },
  { rule: 'a port name counts up to the first dash', name: 'http2-web-ui', protocol: 'http2' },
  { rule: 'a port name counts in any case', name: 'GRPC-api', protocol: 'grpc' },
  { rule: 'grpc-web has a dash of its own', name: 'grpc-web', protocol: 'grpc-web' },
  { rule: 'grpc-web may have a suffix', name: 'grpc-web-ui', protocol: 'grpc-web' },
  { rule: 'grpc-website is grpc', name: 'grpc-website', protocol: 'grpc' },
  { rule: 'a name that only begins like a protocol says nothing', name: 'httpserver', protocol: 'auto' },
  { rule: 'appProtocol comes before the name', name: 'http', appProtocol: 'tcp', protocol: 'tcp' },
  { rule: 'appProtocol counts in any case', appProtocol: 'HTTPS', protocol: 'https' },
  { rule: 'the Kubernetes name for cleartext HTTP/2 is known', appProtocol: 'kubernetes.io/h2c', protocol: 'http2' },
  { rule: 'the Kubernetes name for WebSocket is known', appProtocol: 'kubernetes.io/ws', protocol: 'http' },
  {
    rule: 'an unknown appProtocol is found out by the proxy',
    name: 'http',
    appProtocol: 'acme.io/rpc',
    protocol: 'auto',
  },
  { rule: 'an empty appProtocol is none', name: 'http', appProtocol: '', protocol: 'http' },
  { rule: 'UDP is UDP whatever the name', name: 'http', transport: 'UDP', protocol: 'udp' },
  { rule: 'UDP is UDP whatever the appProtocol', appProtocol: 'http', transport: 'UDP', protocol: 'udp' },
  { rule: 'SMTP is TCP', number: 25, protocol: 'tcp' },
  { rule: 'DNS is TCP', number: 53, name: 'dns', protocol: 'tcp' },
  { rule: 'MySQL is TCP', number: 3306, protocol: 'tcp' },
  { rule: 'MongoDB is TCP', number: 27017, protocol: 'tcp' },
  { rule: 'a name comes before a well-known number', number: 3306, name: 'mysql', protocol: 'mysql' },
  { rule: 'without a name the proxy finds out', protocol: 'auto' },
];

for (const { rule, protocol, name = '', number = 8080, transport = 'TCP', appProtocol } of CASES) {
  test(`service port: ${rule}`, (t) => {
    t.is(selectProtocol({ name, number, transport, appProtocol }), protocol);
  });
}

test('a ServiceEntry port states its protocol, in any case, and its name says nothing', (t) => {
  t.is(selectStatedProtocol(8080, 'GRPC-WEB'), 'grpc-web');
  t.is(selectStatedProtocol(8080, 'mongo'), 'mongo');
  t.is(selectStatedProtocol(8080, ''), 'auto');
  t.is(selectStatedProtocol(3306, ''), 'tcp');
});
