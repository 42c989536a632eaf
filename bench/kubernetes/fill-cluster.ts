import { BenchError } from '../cli/bench-error.js';
import type { NewObject } from './cluster-objects.js';

/** One request to the API server: its status and parsed body. */
export type SendToCluster = (
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
) => Promise<{ readonly status: number; readonly body: unknown }>;

const PARALLEL = 32;

/** Makes the objects in an API server that does not have them yet: step after step, those of a step many at once. */
export async function fillCluster(
  send: SendToCluster,
  steps: readonly (readonly NewObject[])[],
  progress: (done: number, total: number) => void,
): Promise<void> {
  const total = steps.flat().length;
  let done = 0;
  for (const objects of steps) {
    await inParallel(objects, async (object) => {
      await create(send, object);
      progress(++done, total);
    });
  }
}

async function create(send: SendToCluster, { path, body, status }: NewObject): Promise<void> {
  const made = await send('POST', path, body);
  if (made.status >= 300) throw refusal('POST', path, made);
  if (status === undefined) return;
  const { name } = (made.body as { metadata: { name: string } }).metadata;
  const written = await send('PATCH', `${path}/${name}/status`, { status }, 'application/merge-patch+json');
  if (written.status >= 300) throw refusal('PATCH', `${path}/${name}/status`, written);
}

function refusal(
  method: string,
  path: string,
  answer: { readonly status: number; readonly body: unknown },
): BenchError {
  const text = JSON.stringify(answer.body);
  return new BenchError('server-failed', `The API server answered ${method} ${path} with ${answer.status}: ${text}`);
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
