import type { HttpAnswer, HttpRequests } from './calls.js';
import { requestHttp } from './http-request.js';

/** Answers in the order of the requests; a broken connection fails them all. */
export async function requestMany({ requests, concurrency }: HttpRequests): Promise<readonly HttpAnswer[]> {
  const answers: HttpAnswer[] = [];
  const rest = requests.entries();
  const worker = async (): Promise<void> => {
    for (const [index, request] of rest) answers[index] = await requestHttp(request);
  };
  await Promise.all(Array.from({ length: concurrency ?? requests.length }, worker));
  return answers;
}
