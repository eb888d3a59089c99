// Starts the page.
import { render } from 'preact';
import { App } from './app.tsx';
import { startLive } from './base/live.ts';
import { startRouter } from './base/router.ts';
import { readSession, session } from './base/session.ts';
import { startShortcuts } from './base/shortcuts.ts';
import { startTheme } from './base/theme.ts';
import { ignoreStrayFiles } from './parts/drop-files.ts';
import './styles/page.css';

startTheme();
startRouter();
startShortcuts();
ignoreStrayFiles();
const app = document.querySelector('#app');
if (app) render(<App />, app);
await readSession();
if (session.value) startLive();
