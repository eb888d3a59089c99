// Publishes the output of an attempt: a managed one into the dataset storage, an unmanaged one to the place that its user named.
import type { PublishedFiles } from '../core/ports/storage.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import type { EngineContext } from './engine-context.ts';

export async function publishOutput(
  context: EngineContext,
  key: string,
  node: NodeDefinition,
): Promise<PublishedFiles> {
  const { outputPath } = node.policy;
  if (outputPath === undefined) return context.storage.publish(key);
  return context.storage.publishTo(key, outputPath);
}
