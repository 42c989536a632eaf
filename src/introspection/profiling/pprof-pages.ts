import { HttpProblem } from '../http-problem.js';
import type { Page, PageRequest, Reply } from '../page.js';

/** Makes profiles; bootstrap provides it. */
export interface ProfileSource {
  cpu(seconds: number): Promise<Uint8Array>;
  heap(): Promise<Uint8Array>;
  handles(): Uint8Array;
}

const DEFAULT_CPU_SECONDS = 30;
/** A profile slows the process down, and a connection without a byte for a minute is closed (NAV_HTTP_IDLE_TIMEOUT). */
const MAX_SECONDS = 50;
const SECONDS = { name: 'seconds', required: false, choice: { type: 'text' } } as const;

/** `/debug/pprof/…` (--profile), in the format that `go tool pprof` reads. One profile is made at a time. */
export function createPprofPages(source: ProfileSource): readonly Page[] {
  let isBusy = false;
  const alone = async (make: () => Uint8Array | Promise<Uint8Array>): Promise<Reply> => {
    if (isBusy)
      throw new HttpProblem(503, 'A profile is being made. This server makes one at a time; try again later.');
    isBusy = true;
    try {
      return { type: 'bytes', bytes: await make(), contentType: 'application/octet-stream' };
    } finally {
      isBusy = false;
    }
  };
  const page = (
    path: string,
    description: string,
    make: (seconds: number | undefined) => Uint8Array | Promise<Uint8Array>,
    parameters: Page['parameters'] = [SECONDS],
  ): Page => ({
    path: `/debug/pprof/${path}`,
    description,
    audience: 'operator',
    parameters,
    handle: async (_views, request) => {
      const seconds = secondsOf(request);
      return request.safe ? { type: 'empty', status: 200 } : alone(() => make(seconds));
    },
  });
  return [
    {
      path: '/debug/pprof',
      description: 'The profiles of this process (--profile)',
      audience: 'operator',
      handle: () => ({
        type: 'text',
        text: `go tool pprof http://<this server>/debug/pprof/profile?seconds=30   CPU\ngo tool pprof http://<this server>/debug/pprof/heap                 live heap that was allocated since the start\ngo tool pprof http://<this server>/debug/pprof/goroutine            open handles of the event loop\n`,
      }),
    },
    page('profile', 'CPU profile of the next seconds (30), for go tool pprof', (seconds = DEFAULT_CPU_SECONDS) =>
      source.cpu(seconds),
    ),
    page('heap', 'Live heap that was allocated since the start, for go tool pprof', () => source.heap(), []),
    page('goroutine', 'Open handles of the event loop by type, for go tool pprof', () => source.handles(), []),
  ];
}

/** @throws HttpProblem 400 for a number that is not usable */
function secondsOf({ query }: PageRequest): number | undefined {
  const text = query.get('seconds');
  if (text === null) return undefined;
  const seconds = Number(text);
  if (text.trim() !== '' && seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new HttpProblem(400, `seconds must be a number above 0, at most ${MAX_SECONDS}`);
}
