/**
 * Sum over the series of a metric family in a scrape; 0 when there are none.
 * @param labels of the series that count; default: all of them
 */
export function sumOfSeries(scrape: string, family: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  let sum = 0;
  for (const line of scrape.split('\n')) {
    if (!line.startsWith(`${family} `) && !line.startsWith(`${family}{`)) continue;
    const end = line.lastIndexOf(' ');
    const present = line.slice(family.length + 1, end - 1).split(/,(?=[A-Za-z_]\w*=")/);
    if (wanted.every((label) => present.includes(label))) sum += Number(line.slice(end + 1));
  }
  return sum;
}
