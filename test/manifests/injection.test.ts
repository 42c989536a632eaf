import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { load } from 'js-yaml';
import { captureFlags } from '../../src/cli/settings/capture-flags.js';
import { grpcAgentFlags } from '../../src/cli/settings/grpc-agent-flags.js';
import { grpcBootstrapFlags } from '../../src/cli/settings/grpc-bootstrap-settings.js';
import { createInjectionNames } from '../../src/webhooks/injection/annotation-names.js';
import { projectRoot } from '../counterparts/project-root.js';
import { findDeployment, findDocument } from './support/read-documents.js';

interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly service: {
      readonly name: string;
      readonly namespace: string;
      readonly path: string;
      readonly port: number;
    };
  };
  readonly namespaceSelector: object;
  readonly [field: string]: unknown;
}

const { webhooks } = findDocument('MutatingWebhookConfiguration', 'mesh-sidecar-injector') as unknown as {
  readonly webhooks: readonly [Webhook, Webhook];
};
const { data } = findDocument('ConfigMap', 'mesh-sidecar-injector-defaults') as unknown as {
  readonly data: { readonly config: string; readonly values: string };
};
const values = load(data.values) as {
  readonly proxy: { readonly image: string };
  readonly init: { readonly image: string };
};

test('the creation of pods in labelled namespaces, and of labelled pods, calls the webhook, and waits for the answer', (t) => {
  const [ofPods, ofNamespaces] = webhooks;
  t.deepEqual(
    webhooks.map(({ name }) => name),
    ['pod.sidecar-injector.mesh.internal', 'sidecar-injector.mesh.internal'],
  );
  for (const entry of webhooks) {
    t.like(entry, {
      rules: [
        { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: 'Namespaced' },
      ],
      failurePolicy: 'Fail',
      reinvocationPolicy: 'IfNeeded',
      sideEffects: 'None',
      admissionReviewVersions: ['v1', 'v1beta1'],
    });
    t.deepEqual(entry.clientConfig, webhooks[0].clientConfig);
  }
  t.like(ofPods, { objectSelector: { matchLabels: { 'mesh.internal/rev': 'default' } } });
  t.like(ofNamespaces.namespaceSelector, { matchLabels: { 'mesh-injection': 'enabled' } });
});

test('the webhook uses a port of the Service of meshd', (t) => {
  const { service } = webhooks[0].clientConfig;
  t.like(service, { name: 'meshd', namespace: 'mesh-system', path: '/inject' });
  const { spec } = findDocument('Service', 'meshd') as unknown as {
    readonly spec: { readonly ports: readonly { readonly port: number }[] };
  };
  t.true(spec.ports.some(({ port }) => port === service.port));
});

test('the containers of meshd run its image, with existing flags', (t) => {
  t.is(values.init.image, findDeployment('meshd').spec.template.spec.containers[0].image);
  const flags = [...data.config.matchAll(/(?:prepend: '|- )--(\w+)=/g)].map(([, name]) => name);
  t.is(flags.length, 22);
  const known = [captureFlags, grpcBootstrapFlags, grpcAgentFlags].flatMap((table) => Object.values(table));
  for (const flag of flags)
    t.true(
      known.some(({ name }) => name === flag),
      flag,
    );
});

test('proxies report the version of package.json', (t) => {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  t.is(/MESH_VERSION: (\S+)/.exec(data.config)?.[1], version);
});

test('the template reads exactly the validated annotations', (t) => {
  const { labels, ...names } = createInjectionNames('mesh.internal');
  const read = new Set([...data.config.matchAll(/annotation: '([^']+)'/g)].map(([, name]) => name));
  t.true(read.size > 8);
  for (const name of read) t.true(Object.values(names).includes(name ?? ''), name);
});
