// Before the page is drawn, so that it does not flash: the theme that the reader chose, else that of the system.
try {
  const theme = localStorage.getItem('varve-theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Pages opened from a folder may have no storage; then the system decides.
}
