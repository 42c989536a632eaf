import fc from 'fast-check';
import { decodeReview } from '../../../src/webhooks/admission/decode-review.js';
import { inject } from '../../../src/webhooks/injection/inject.js';
import { mutated } from '../../support/arbitrary-octets.js';
import { reviewOf } from '../../webhooks/fixtures/reviews.js';
import { pods } from '../../webhooks/injection/support/arbitrary-pods.js';
import {
  requestOf,
  settingsOf,
  shippedSettings,
  templates,
  tools,
} from '../../webhooks/injection/support/injection.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const SETTINGS = shippedSettings();
const POD = { metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'web' }] } };

/** A pod some of whose fields are anything. */
const oddPods = fc
  .tuple(pods, fc.constantFrom('metadata', 'spec'), fc.string(), fc.jsonValue())
  .map(([pod, part, key, value]) => ({ ...pod, [part]: { ...pod[part as 'metadata'], [key]: value } }));
const annotated = fc
  .dictionary(
    fc.constantFrom(
      ...['traffic.sidecar.mesh.internal/includeInboundPorts', 'traffic.sidecar.mesh.internal/excludeOutboundIPRanges'],
      ...[
        'sidecar.mesh.internal/interceptionMode',
        'status.sidecar.mesh.internal/port',
        'sidecar.mesh.internal/inject',
      ],
      ...['proxy.mesh.internal/config', 'sidecar.mesh.internal/proxyCPU', 'sidecar.mesh.internal/userVolume'],
    ),
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('80,443', '10.0.0.0/8', '{', 'a: &a [*a]', '$(X)', '*')),
  )
  .map((annotations) => ({ ...POD, metadata: { name: 'web', annotations } }));
const templateText = fc
  .array(
    fc.constantFrom(
      ...[
        '{{',
        '}}',
        '{%',
        '%}',
        ' for i in (1..9) ',
        ' endfor ',
        ' if Values ',
        ' endif ',
        'Values.a',
        '| toJson',
        '\n',
      ],
      ...['containers:', ' - {', ' name: x', ' }', '|', ' assign a = "b" ', 'ObjectMeta.Annotations', ':', '[', ']'],
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

export const webhookTargets: readonly FuzzTarget[] = [
  fuzzTarget('admission-review', {
    inputs: fc.oneof(
      mutated(Buffer.from(JSON.stringify(reviewOf({ object: POD })))),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({
          apiVersion: fc.constant('admission.k8s.io/v1'),
          kind: fc.constant('AdmissionReview'),
          request: fc.jsonValue(),
        })
        .map((value) => Buffer.from(JSON.stringify(value))),
    ),
    run: (body) => decodeReview(Buffer.from(body)),
  }),
  fuzzTarget('pod', {
    inputs: fc.oneof(pods, oddPods, annotated, fc.jsonValue()),
    refusals: ['InjectionError'],
    run: (pod) => inject(requestOf(pod), SETTINGS, tools),
  }),
  fuzzTarget('injection-template', {
    inputs: templateText,
    refusals: ['InjectionError'],
    run: (template) => {
      if (templates.check(template) !== undefined) return;
      inject(requestOf(POD), settingsOf({ config: { template } }), tools);
    },
  }),
];
