import type { Metrics } from '@karpenter-ts/runtime';

/** The page a scrape would get. */
export async function metricsPage(metrics: Metrics): Promise<string> {
  let page = '';
  for await (const slice of metrics.render('text')) page += slice;
  return page;
}
