import test from 'ava';
import { readGoldenCase } from './golden-case.js';
import { createGoldenGenerators } from './golden-runner.js';

for (const protocol of ['TCP', 'TLS', 'MONGO']) {
  test(`an egress listener without protocol takes connections to an address of a ${protocol} service as bytes`, (t) => {
    const golden = readGoldenCase(
      protocol,
      `
proxies:
  sidecar:
    id: sidecar~10.0.1.1~web-1.default~default.svc.cluster.local
---
apiVersion: networking.mesh.internal/v1beta1
kind: ServiceEntry
metadata: { name: outside }
spec:
  hosts: [db.example.com]
  addresses: [10.9.0.1, 10.8.0.0/16]
  resolution: NONE
  ports: [{ number: 503, name: db, protocol: ${protocol} }]
---
apiVersion: networking.mesh.internal/v1beta1
kind: Sidecar
metadata: { name: default }
spec:
  egress: [{ port: { number: 8000, name: any }, hosts: ["*/*"] }]
`,
    );
    const [proxy] = golden.proxies.values();
    if (proxy === undefined) throw new Error('no proxy');
    // The runner throws where a listener names a table that does not exist.
    const { listeners } = createGoldenGenerators(golden)(golden.change('upsert', []), proxy);
    t.true(listeners.some(({ name }) => name === '10.9.0.1_8000'));
  });
}
