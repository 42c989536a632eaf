// Renders crds/: one CustomResourceDefinition for each kind of the mesh, from the kind's own schema.
import { dump } from 'js-yaml';
import { createKindRegistry } from '../build/src/config/kinds.js';
import { structuralSchema } from './structural-schema.mjs';

const HEAD = '# Written by npm run generate from the schemas in src/config.\n';

const CONDITION = {
  type: 'object',
  required: ['type', 'status'],
  properties: {
    type: { type: 'string', description: 'Accepted, ResolvedRefs or Reconciled.', maxLength: 316 },
    status: { type: 'string', description: 'True, False or Unknown.', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the condition describes.',
    },
    lastProbeTime: { type: 'string', format: 'date-time', description: 'When the condition was last checked.' },
    lastTransitionTime: { type: 'string', format: 'date-time', description: 'When status last changed.' },
    reason: { type: 'string', description: 'Reason as one word, for programs.', maxLength: 1024 },
    message: { type: 'string', description: 'Reason as one line, for people.', maxLength: 32768 },
  },
};

const VALIDATION_MESSAGE = {
  type: 'object',
  required: ['code', 'level', 'message'],
  properties: {
    code: { type: 'string', description: 'MESHnnnn.', maxLength: 16 },
    level: { type: 'string', description: 'Error, Warn or Info.', enum: ['Error', 'Warn', 'Info'] },
    message: { type: 'string', description: 'The problem and its remedy.', maxLength: 32768 },
    documentation_url: { type: 'string', description: 'Page that explains the code.', maxLength: 1024 },
  },
};

const STATUS = {
  type: 'object',
  description: 'State of the object; only the control plane writes it.',
  properties: {
    conditions: {
      type: 'array',
      description: 'Conditions of the object, one of each type.',
      maxItems: 16,
      items: CONDITION,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    proxies: { type: 'string', description: 'How many of the proxies that need the object have it.', maxLength: 64 },
    validationMessages: {
      type: 'array',
      description: 'Messages of analysis; empty if there are none.',
      maxItems: 256,
      items: VALIDATION_MESSAGE,
      'x-kubernetes-list-type': 'atomic',
    },
  },
};

function conditionColumn(name, type, field, description, priority) {
  const jsonPath = `.status.conditions[?(@.type=="${type}")].${field}`;
  return { name, type: 'string', description, jsonPath, ...(priority === undefined ? {} : { priority }) };
}

/** Columns of `kubectl get`; columns of priority 1 are shown only with `-o wide`. */
const COLUMNS = [
  conditionColumn('Accepted', 'Accepted', 'status', 'Whether it is valid.'),
  conditionColumn('Refs', 'ResolvedRefs', 'status', 'Whether all its references exist.'),
  conditionColumn('In-Force', 'Reconciled', 'status', 'Whether every proxy that needs it has it.'),
  { name: 'Proxies', type: 'string', description: 'How many proxies have it.', jsonPath: '.status.proxies' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  conditionColumn('Validity', 'Accepted', 'message', 'Why it is valid or not.', 1),
  conditionColumn('Enforcement', 'Reconciled', 'message', 'Why it is in force or not.', 1),
  conditionColumn('References', 'ResolvedRefs', 'message', 'References that do not exist.', 1),
];

function specColumn(name, field, description) {
  return { name, type: 'string', description, jsonPath: `.spec.${field}` };
}

const DRY_RUN = {
  ...specColumn('Dry-Run', 'dryRun', 'Whether it only counts what it would refuse.'),
  type: 'boolean',
  priority: 1,
};

/** Fields that distinguish objects of a kind better than their names do. */
const OWN_COLUMNS = {
  ServiceEntry: [
    specColumn('Hosts', 'hosts', 'DNS names of the service.'),
    specColumn('Resolution', 'resolution', 'How its endpoints are found.'),
  ],
  WorkloadEntry: [specColumn('Address', 'address', 'Where the workload is.')],
  AuthorizationPolicy: [specColumn('Action', 'action', 'What happens to requests that match.')],
  Plan: [specColumn('Anonymous', 'anonymous', 'Which requests without a known key it allows.')],
  Consumer: [specColumn('Plan', 'plan.name', 'The plan under which it calls.')],
  handler: [
    specColumn('Adapter', 'compiledAdapter', 'The built-in adapter.'),
    specColumn('Own-Adapter', 'adapter', 'The adapter object.'),
  ],
  instance: [
    specColumn('Template', 'compiledTemplate', 'The built-in template.'),
    specColumn('Own-Template', 'template', 'The template object.'),
  ],
  rule: [specColumn('Match', 'match', 'Which requests match.'), DRY_RUN],
  QuotaSpec: [DRY_RUN],
  PeerAuthentication: [specColumn('Mode', 'mtls.mode', 'Which connections workloads accept.')],
};

/** Files of crds/ as {file, content}, for a mesh domain. */
export function renderCrds(meshDomain) {
  return createKindRegistry(meshDomain)
    .definitions.filter(({ group }) => group.endsWith(`.${meshDomain}`))
    .map((definition) => ({
      file: `crds/${definition.plural}.yaml`,
      content: HEAD + dump(renderCrd(definition), { lineWidth: 120, noRefs: true }),
    }));
}

function renderCrd({ group, kind, plural, shortNames, versions, namespaced, schema }) {
  const spec = structuralSchema(schema);
  const openAPIV3Schema = {
    type: 'object',
    description: schema.description,
    ...(spec.required === undefined ? {} : { required: ['spec'] }),
    properties: { spec, status: STATUS },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // Without it, uninstalling the Helm chart would delete every object of the kind.
    metadata: { name: `${plural}.${group}`, annotations: { 'helm.sh/resource-policy': 'keep' } },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
        categories: ['mesh'],
      },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        additionalPrinterColumns: [...(OWN_COLUMNS[kind] ?? []), ...COLUMNS],
        schema: { openAPIV3Schema },
      })),
    },
  };
}
