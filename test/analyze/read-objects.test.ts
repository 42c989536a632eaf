import test from 'ava';
import { readTexts, shownFinding } from './support.js';

const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  ports:
    - port: 80
`;

test('objects of documents and Lists have the lines of their fields', (t) => {
  const list = `# a comment
---
apiVersion: v1
kind: ServiceList
items:
- metadata: {name: a, namespace: shop}
  spec:
    ports: [{port: 80}]
- metadata: {name: b, namespace: shop}
  spec:
    clusterIP: None
    ports:
      - port: 81
`;
  const { placed, problems, skipped } = readTexts({ 'one.yaml': `---\n${SERVICE}`, 'list.yaml': list });
  t.deepEqual([...placed.keys()], ['Service/shop/web', 'Service/shop/a', 'Service/shop/b']);
  t.deepEqual([problems.length, skipped], [0, 0]);
  const linesOf = (key: string) =>
    ['', 'spec.ports[0].port', 'spec.nothing'].map((field) => placed.get(key)?.lineOf(field));
  t.deepEqual(linesOf('Service/shop/web'), [2, 7, 5]);
  t.deepEqual(linesOf('Service/shop/b'), [9, 13, 10]);
});

test('a syntax error, a broken rule, an unknown kind and a second object of a key are findings with their lines', (t) => {
  const { problems, placed } = readTexts({
    'bad.yaml': `${SERVICE}---\nkind: [\n---\napiVersion: networking.mesh.internal/v1beta1\nkind: ServiceEntri\nmetadata: {name: x}\n`,
    'entry.yaml':
      'apiVersion: networking.mesh.internal/v1beta1\nkind: ServiceEntry\nmetadata: {name: x}\nspec:\n' +
      '  hosts: [a.example.com]\n  resolution: DNS\n  ports:\n  - {number: 0, name: http, protocol: HTTP}\n',
    'twice.yaml': SERVICE,
  });
  t.deepEqual(problems.map(shownFinding), [
    'bad.yaml:9 MESH0106',
    'bad.yaml:11 MESH0106 ServiceEntri/default/x kind',
    'entry.yaml:8 MESH0106 ServiceEntry/default/x spec.ports[0].number',
    'twice.yaml:1 MESH0106 Service/shop/web',
  ]);
  t.regex(problems[3]?.message ?? '', /bad\.yaml:1 defines the object too/);
  t.deepEqual([...placed.keys()], ['Service/shop/web'], 'valid objects beside invalid ones are kept');
});

test('the pod template of a workload counts as a pod, and other kinds of Kubernetes are skipped', (t) => {
  const { placed, skipped, problems } = readTexts({
    'all.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {serviceAccountName: web, containers: [{name: web, ports: [{containerPort: 8080}]}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
`,
  });
  t.deepEqual(problems, []);
  t.is(skipped, 1);
  t.deepEqual(placed.get('Pod/shop/web')?.object.metadata.labels, { app: 'web' });
});
