// Search, theme and menu of the documentation. The index is [address, page, heading, text] for every section.
const html = document.documentElement;
const input = document.getElementById('search');
const found = document.getElementById('found');
const shown = 12;
const around = 60;

function score(words, [, page, heading, text]) {
  let sum = 0;
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word);
    const inPage = page.toLowerCase().includes(word);
    const at = text.toLowerCase().indexOf(word);
    if (!inHeading && !inPage && at < 0) return 0;
    sum += (inHeading ? 20 : 0) + (inPage ? 10 : 0) + (at < 0 ? 0 : 3);
  }
  return sum;
}

function excerpt(words, text) {
  const at = Math.max(
    0,
    Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((i) => i >= 0)),
  );
  const start = Number.isFinite(at) ? Math.max(0, at - around) : 0;
  return (start > 0 ? '…' : '') + text.slice(start, start + 3 * around);
}

function entry(words, [address, page, heading, text]) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = html.dataset.root + address;
  const title = document.createElement('b');
  title.textContent = heading && heading !== page ? `${page}: ${heading}` : page;
  const part = document.createElement('span');
  part.textContent = excerpt(words, text);
  link.append(title, part);
  item.append(link);
  return item;
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits =
    words.length === 0 ? [] : window.searchIndex.map((section) => [score(words, section), section]);
  const best = hits.filter(([points]) => points > 0).sort((a, b) => b[0] - a[0]);
  found.replaceChildren(...best.slice(0, shown).map(([, section]) => entry(words, section)));
  if (words.length > 0 && best.length === 0) {
    const nothing = document.createElement('li');
    nothing.textContent = 'nothing found';
    found.append(nothing);
  }
  found.hidden = words.length === 0;
}

input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    input.value = '';
    search();
  } else if (event.key === 'Enter') found.querySelector('a')?.click();
  else if (event.key === 'ArrowDown') found.querySelector('a')?.focus();
});
found.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
  if (!step) return;
  event.preventDefault();
  (document.activeElement.closest('li')?.[step]?.querySelector('a') ?? input).focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) found.hidden = true;
});

document.getElementById('theme').addEventListener('click', () => {
  const dark = html.dataset.theme
    ? html.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  html.dataset.theme = dark ? 'light' : 'dark';
  try {
    localStorage.setItem('varve-theme', html.dataset.theme);
  } catch {
    // Without storage the choice holds for this page.
  }
});
document.getElementById('menu').addEventListener('click', () => document.body.classList.toggle('menu'));
