import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { projectRoot } from '../../counterparts/project-root.js';
import type { ManifestDocument } from './read-documents.js';
import { runTool, type ToolResult } from './run-tool.js';

/** Of `kubeVersion` in Chart.yaml. */
const OLDEST_KUBERNETES = '1.30.0';

/** Runs Helm with the chart of this repository. */
export interface Helm {
  /** Folder of the chart. */
  readonly chart: string;
  run(...args: readonly string[]): Promise<ToolResult>;
  /**
   * The objects of the chart in `mesh-system`.
   *
   * @param values in the form of values.yaml
   * @param flags further ones
   * @throws Error with the words of Helm if it refuses the values
   */
  render(values?: object, ...flags: readonly string[]): Promise<readonly ManifestDocument[]>;
  close(): Promise<void>;
}

/** The program, built by scripts/obtain-helm.mjs. Without it tests are skipped, or an error is thrown. */
export function requireHelm(): string | undefined {
  const binary = join(projectRoot(), '.cache/helm/helm');
  if (existsSync(binary)) return binary;
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error('a counterpart is missing: Helm');
  return undefined;
}

/** Writes the chart into a folder. */
export async function writeChart(folder: string): Promise<void> {
  const script = (await import(join(projectRoot(), 'scripts/chart/write-chart.mjs'))) as {
    writeChart: (folder: string) => string;
  };
  script.writeChart(folder);
}

/** Writes the chart, and keeps the files of Helm in a folder of its own. */
export async function createHelm(binary: string): Promise<Helm> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-helm-'));
  const chart = join(folder, 'navigator');
  await writeChart(chart);
  const run: Helm['run'] = (...args) => {
    const home = { HELM_CACHE_HOME: join(folder, 'cache'), HELM_CONFIG_HOME: join(folder, 'config') };
    const env = { ...process.env, ...home, HELM_DATA_HOME: join(folder, 'data') };
    return runTool(binary, args, { env });
  };
  let count = 0;
  const rendered = new Map<string, readonly ManifestDocument[]>();
  return {
    chart,
    run,
    render: async (values = {}, ...flags) => {
      const key = JSON.stringify([values, flags]);
      const known = rendered.get(key);
      if (known !== undefined) return known;
      count += 1;
      const file = join(folder, `values-${count}.json`);
      await writeFile(file, JSON.stringify(values));
      const { code, output, complaint } = await run(
        ...[
          'template',
          'navigator',
          chart,
          '-n',
          'mesh-system',
          '--kube-version',
          OLDEST_KUBERNETES,
          '-f',
          file,
          ...flags,
        ],
      );
      if (code !== 0) throw new Error(complaint);
      const documents = (loadAll(output) as (ManifestDocument | null)[]).filter((each) => each !== null);
      rendered.set(key, documents);
      return documents;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
