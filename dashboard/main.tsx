/** The entry point: renders the app, and starts loading data from the daemon. */
import './parts/disable-zod-jit.ts'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/pages.css'
import './styles/jobs.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { beginLive } from './data/live-state.ts'
import { beginTheme } from './parts/theme.ts'

beginTheme()
const place = document.getElementById('root')
if (place !== null) createRoot(place).render(<App />)
void beginLive()
