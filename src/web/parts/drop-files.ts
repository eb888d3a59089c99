// Takes files that are dropped onto a page. Beside such a place nothing happens: browsers would leave the page to show the file.
import { useSignal } from '@preact/signals';

/** Whether files hover over the place, and what the place listens to. */
export function useDroppedFiles(take: (files: readonly File[]) => void) {
  const over = useSignal(false);
  return {
    over: over.value,
    handlers: {
      onDragOver: (event: DragEvent) => {
        over.value = event.dataTransfer?.types.includes('Files') ?? false;
      },
      onDragLeave: () => {
        over.value = false;
      },
      onDrop: (event: DragEvent) => {
        over.value = false;
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length > 0) take(files);
      },
    },
  };
}

export function ignoreStrayFiles(): void {
  for (const kind of ['dragover', 'drop'] as const)
    addEventListener(kind, (event) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    });
}
