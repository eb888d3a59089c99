// Where the image of a DockerRequirement comes from: the commands that make it available, and the name to run it by.
import { hash } from 'node:crypto';
import type { ContainerEngineName } from '../../../core/container-argv.ts';
import { cwlErrors } from '../error-codes.ts';
import type { DockerRequirement } from '../model/requirement.ts';

export interface ImagePlan {
  /** The name by which the image is run. */
  readonly image: string;
  /** Succeeds when the image is there already. */
  readonly check: readonly string[];
  /** Makes the image available; `input` is given on the standard input. */
  readonly make: readonly { readonly argv: readonly string[]; readonly input?: string }[];
}

/** The first of dockerImageId, dockerPull and so on that names the image decides how it is run. */
export function planImage(requirement: DockerRequirement, engine: ContainerEngineName): ImagePlan {
  const { dockerPull, dockerLoad, dockerFile, dockerImport, dockerImageId } = requirement;
  if (engine === 'apptainer') return apptainerImage(requirement);
  const check = (image: string) => [engine, 'image', 'inspect', image];
  if (dockerPull !== undefined)
    return { image: dockerPull, check: check(dockerPull), make: [{ argv: [engine, 'pull', dockerPull] }] };
  if (dockerFile !== undefined) {
    const image = dockerImageId ?? `varve-${hash('sha256', dockerFile).slice(0, 16)}`;
    return {
      image,
      check: check(image),
      make: [{ argv: [engine, 'build', '--tag', image, '-'], input: dockerFile }],
    };
  }
  if (dockerLoad !== undefined) {
    if (dockerImageId === undefined) throw cwlErrors.CWL_MISSING_FIELD('dockerImageId', 'dockerLoad');
    return {
      image: dockerImageId,
      check: check(dockerImageId),
      make: [{ argv: [engine, 'load', '--input', dockerLoad] }],
    };
  }
  if (dockerImport !== undefined) {
    const image = dockerImageId ?? `varve-${hash('sha256', dockerImport).slice(0, 16)}`;
    return { image, check: check(image), make: [{ argv: [engine, 'import', dockerImport, image] }] };
  }
  if (dockerImageId !== undefined) return { image: dockerImageId, check: check(dockerImageId), make: [] };
  throw cwlErrors.CWL_MISSING_FIELD('dockerPull', 'DockerRequirement');
}

/** Apptainer fetches by itself; it can neither build from a Dockerfile nor know an image by an id. */
function apptainerImage(requirement: DockerRequirement): ImagePlan {
  const { dockerPull, dockerLoad, dockerImport, dockerImageId } = requirement;
  const image =
    dockerPull ??
    (dockerLoad === undefined ? undefined : `docker-archive://${dockerLoad}`) ??
    dockerImageId ??
    dockerImport;
  if (image === undefined) throw cwlErrors.CWL_UNKNOWN_REQUIREMENT('dockerFile with apptainer');
  return { image, check: ['true'], make: [] };
}
