import type { OtlpAttribute, OtlpRequest, OtlpSpan, OtlpValue } from '../otlp/otlp-request.js';
import { type ChangeTrace, responsesOf } from './change-trace.js';

/** What the trace of a change needs from its surroundings. */
export interface OtlpContext {
  readonly serviceVersion: string;
  /** Attributes of this process. */
  readonly resource: Readonly<Record<string, string>>;
  /** Wall-clock time of zero of the monotonic clock, in milliseconds. */
  readonly epochMs: number;
  /** Makes a random id of that many bytes, in hexadecimal. */
  readonly randomId: (bytes: number) => string;
}

type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface SpanContent {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes?: Attributes;
  readonly events?: readonly { readonly name: string; readonly atMs: number; readonly attributes: Attributes }[];
  readonly error?: string;
}

const INTERNAL = 1;
const STATUS_ERROR = 2;

/** A request with one trace. */
export function otlpTrace(trace: ChangeTrace, context: OtlpContext): OtlpRequest {
  const { serviceVersion, resource, randomId, epochMs } = context;
  const traceId = randomId(16);
  const rootId = randomId(8);
  const span = (content: SpanContent, spanId: string, parentSpanId?: string): OtlpSpan => ({
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: content.name,
    kind: INTERNAL,
    startTimeUnixNano: nanos(epochMs + content.startMs),
    endTimeUnixNano: nanos(epochMs + Math.max(content.startMs, content.endMs)),
    attributes: attributesOf(content.attributes ?? {}),
    events: (content.events ?? []).map(({ name, atMs, attributes }) => ({
      name,
      timeUnixNano: nanos(epochMs + atMs),
      attributes: attributesOf(attributes),
    })),
    status: content.error === undefined ? {} : { code: STATUS_ERROR, message: content.error },
  });
  const spans = [span(rootOf(trace), rootId), ...stagesOf(trace).map((content) => span(content, randomId(8), rootId))];
  const scope = { name: 'navigator-discovery', version: serviceVersion };
  return { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans }] }] };
}

function rootOf(trace: ChangeTrace): SpanContent {
  const {
    startMs,
    builtMs,
    version,
    full,
    reasons,
    objects,
    objectCount,
    types,
    acknowledged,
    rejected,
    lastAnswerMs,
  } = trace;
  const lastSentMs = Math.max(builtMs, ...[...types.values()].map(({ lastMs }) => lastMs));
  const sent = responsesOf(trace);
  const error = errorOf(trace);
  return {
    name: 'mesh change',
    startMs,
    endMs: lastAnswerMs ?? lastSentMs,
    attributes: {
      'mesh.version': version,
      'mesh.push.full': full,
      'mesh.push.reasons': [...new Set(reasons)],
      'mesh.changed.objects': objects,
      'mesh.changed.count': objectCount,
      'mesh.responses.sent': sent,
      'mesh.responses.acknowledged': acknowledged,
      'mesh.responses.rejected': rejected,
      'mesh.responses.unanswered': Math.max(0, sent - acknowledged - rejected),
    },
    events: [{ name: 'source event', atMs: startMs, attributes: { 'mesh.changed.objects': objects } }],
    ...(error === undefined ? {} : { error }),
  };
}

function stagesOf(trace: ChangeTrace): readonly SpanContent[] {
  const { startMs, buildMs, builtMs, types, answers, lastAnswerMs } = trace;
  const works = [...types];
  const firstMs = Math.min(...works.map(([, work]) => work.firstMs));
  const lastMs = Math.max(...works.map(([, work]) => work.lastMs));
  const error = errorOf(trace);
  return [
    { name: 'debounce', startMs, endMs: buildMs },
    { name: 'build snapshot', startMs: buildMs, endMs: builtMs },
    ...works.map(
      ([type, work]): SpanContent => ({
        name: `generate and send ${type}`,
        startMs: work.firstMs,
        endMs: work.lastMs,
        attributes: {
          'mesh.type': type,
          'mesh.responses.sent': work.responses,
          'mesh.busy_ms': Math.round(work.busyMs * 1000) / 1000,
        },
      }),
    ),
    ...(works.length === 0 ? [] : [{ name: 'first to last send', startMs: firstMs, endMs: lastMs }]),
    ...(lastAnswerMs === undefined
      ? []
      : [
          {
            name: 'acknowledge',
            startMs: Math.min(firstMs, lastAnswerMs),
            endMs: lastAnswerMs,
            events: answers.map(({ proxy, type, atMs, rejection }) => ({
              name: rejection === undefined ? 'acknowledged' : 'rejected',
              atMs,
              attributes: {
                'mesh.proxy': proxy,
                'mesh.type': type,
                ...(rejection === undefined ? {} : { 'mesh.rejection': rejection }),
              },
            })),
            ...(error === undefined ? {} : { error }),
          },
        ]),
  ];
}

/** Names the objects: the proxy rejected what followed from one of them. */
function errorOf({ rejected, objects, answers }: ChangeTrace): string | undefined {
  if (rejected === 0) return undefined;
  const first = answers.find(({ rejection }) => rejection !== undefined);
  const changed = objects.length === 0 ? 'the change' : objects.join(', ');
  return `${rejected} responses with ${changed} were rejected; ${first?.proxy ?? ''}: ${first?.rejection ?? ''}`;
}

/** 64-bit numbers are text. */
function nanos(ms: number): string {
  return (BigInt(Math.round(ms * 1000)) * 1000n).toString();
}

function attributesOf(attributes: Attributes): readonly OtlpAttribute[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: Attributes[string]): OtlpValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}
