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
    status: { type: 'string', description: 'Whether it holds.', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: { type: 'integer', format: 'int64', description: 'Generation of the spec it speaks of.' },
    lastProbeTime: { type: 'string', format: 'date-time', description: 'When it was last looked at.' },
    lastTransitionTime: { type: 'string', format: 'date-time', description: 'When status last changed.' },
    reason: { type: 'string', description: 'One word for programs.', maxLength: 1024 },
    message: { type: 'string', description: 'One line for people.', maxLength: 32768 },
  },
};

const VALIDATION_MESSAGE = {
  type: 'object',
  required: ['code', 'level', 'message'],
  properties: {
    code: { type: 'string', description: 'MESHnnnn.', maxLength: 16 },
    level: { type: 'string', description: 'How bad it is.', enum: ['Error', 'Warn', 'Info'] },
    message: { type: 'string', description: 'What was found, and what to do about it.', maxLength: 32768 },
    documentation_url: { type: 'string', description: 'Where the code is explained.', maxLength: 1024 },
  },
};

const STATUS = {
  type: 'object',
  description: 'What the control plane makes of the object; written by it alone.',
  properties: {
    conditions: {
      type: 'array',
      description: 'States of the object, one for each type.',
      maxItems: 16,
      items: CONDITION,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    proxies: { type: 'string', description: 'How many of the proxies that it concerns have it.', maxLength: 64 },
    validationMessages: {
      type: 'array',
      description: 'What analysis found; empty when it found nothing.',
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

/** What `kubectl get` shows; columns of priority 1 with `-o wide` alone. */
const COLUMNS = [
  conditionColumn('Accepted', 'Accepted', 'status', 'Whether it is valid.'),
  conditionColumn('Refs', 'ResolvedRefs', 'status', 'Whether everything that it refers to exists.'),
  conditionColumn('In-Force', 'Reconciled', 'status', 'Whether every proxy that it concerns has it.'),
  { name: 'Proxies', type: 'string', description: 'How many proxies have it.', jsonPath: '.status.proxies' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  conditionColumn('Validity', 'Accepted', 'message', 'Why it is valid or not.', 1),
  conditionColumn('Enforcement', 'Reconciled', 'message', 'Why it is in force or not.', 1),
  conditionColumn('References', 'ResolvedRefs', 'message', 'What it refers to and does not exist.', 1),
];

function specColumn(name, field, description) {
  return { name, type: 'string', description, jsonPath: `.spec.${field}` };
}

/** What tells objects of a kind apart better than their names do. */
const OWN_COLUMNS = {
  ServiceEntry: [
    specColumn('Hosts', 'hosts', 'DNS names of the service.'),
    specColumn('Resolution', 'resolution', 'How its endpoints are found.'),
  ],
  WorkloadEntry: [specColumn('Address', 'address', 'Where the workload is.')],
  PeerAuthentication: [specColumn('Mode', 'mtls.mode', 'Which connections workloads take.')],
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
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames,
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
