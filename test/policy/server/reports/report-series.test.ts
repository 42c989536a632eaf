import test from 'ava';
import { bagOf } from '../../../../src/policy/client/attribute-bag.js';
import {
  type AttributeValue,
  durationAttribute,
  int64Attribute,
  stringAttribute,
} from '../../../../src/policy/client/attribute-value.js';
import { reportSeries } from '../../../../src/policy/server/reports/report-series.js';

const LABELS = { service: 'books', operation: 'read' };

const seriesOf = (attributes: Readonly<Record<string, AttributeValue>>) =>
  reportSeries(bagOf(new Map(Object.entries(attributes))), LABELS);

test('a request is counted with its code, its duration and the sizes of its bodies', (t) => {
  t.deepEqual(
    seriesOf({
      'context.reporter.kind': stringAttribute('outbound'),
      'response.code': int64Attribute(404),
      'response.duration': durationAttribute(1_500_000n),
      'request.size': int64Attribute(3),
      'response.size': int64Attribute(5),
    }),
    {
      type: 'http',
      reporter: 'outbound',
      ...LABELS,
      responseCode: '404',
      durationMs: 1.5,
      requestBytes: 3,
      responseBytes: 5,
    },
  );
});

test('a connection is counted with its event and the bytes since the previous report', (t) => {
  t.deepEqual(
    seriesOf({
      'context.reporter.kind': stringAttribute('inbound'),
      'context.protocol': stringAttribute('tcp'),
      'connection.event': stringAttribute('continue'),
      'connection.received.bytes': int64Attribute(3),
      'connection.sent.bytes': int64Attribute(5),
    }),
    { type: 'tcp', reporter: 'inbound', service: 'books', event: 'continue', receivedBytes: 3, sentBytes: 5 },
  );
});

test('invalid values become unknown or 0: labels stay few, and counters never fall', (t) => {
  t.deepEqual(
    seriesOf({
      'context.reporter.kind': stringAttribute('made up'),
      'response.code': int64Attribute(123_456),
      'response.duration': stringAttribute('long'),
      'request.size': int64Attribute(-3),
      'response.size': stringAttribute('5'),
    }),
    {
      type: 'http',
      reporter: 'unknown',
      ...LABELS,
      responseCode: 'unknown',
      durationMs: undefined,
      requestBytes: 0,
      responseBytes: 0,
    },
  );
  const connection = seriesOf({
    'context.protocol': stringAttribute('tcp'),
    'connection.event': stringAttribute('made up'),
    'connection.received.bytes': int64Attribute(-1),
  });
  t.like(connection, { event: 'unknown', receivedBytes: 0, sentBytes: 0 });
});
