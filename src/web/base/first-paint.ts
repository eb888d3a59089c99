// Runs before the first paint: a chosen theme must not flash by in the other one.
try {
  const theme = localStorage.getItem('varve-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's preference it is.
}
