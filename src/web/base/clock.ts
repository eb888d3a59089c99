// The time of day for ages on the screen: one tick for all of them.
import { signal } from '@preact/signals';

export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);
