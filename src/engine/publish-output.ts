// Publishes the output of an attempt into the dataset storage; an unmanaged one is put at the place that its user named as well, and its
// stored copy lives only as long as somebody in the run reads it.
import type { PublishedFiles } from '../core/ports/storage.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import type { EngineContext } from './engine-context.ts';

export async function publishOutput(
  context: EngineContext,
  key: string,
  node: NodeDefinition,
): Promise<PublishedFiles> {
  const files = await context.storage.publish(key);
  const { outputPath } = node.policy;
  if (outputPath !== undefined) await context.storage.place(files.location, outputPath, files.digest, 'own');
  return files;
}
