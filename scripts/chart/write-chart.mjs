// npm run chart: writes the Helm chart to build/chart/navigator.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../set-up.mjs';
import { renderChart } from './render-chart.mjs';

export const CHART = join(projectRoot, 'build/chart/navigator');

/** Writes the chart; returns its folder. */
export function writeChart(folder = CHART) {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  rmSync(folder, { recursive: true, force: true });
  for (const { file, content } of renderChart(projectRoot, version)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
  return folder;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(
    `wrote ${writeChart().slice(projectRoot.length + 1)}; install it with: helm install navigator build/chart/navigator -n mesh-system`,
  );
}
