// The app shell around all pages.
import { Compass } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { AppContext, type AppServices } from '#renderer/shell/app-context.tsx';
import { DevicesPage } from '#renderer/devices/devices-page.tsx';
import { PairingPage } from '#renderer/devices/pairing/pairing-page.tsx';
import { InboxPage } from '#renderer/inbox/inbox-page.tsx';
import { WebhooksPage } from '#renderer/inputs/webhooks/webhooks-page.tsx';
import { InputPage } from '#renderer/inputs/input-page.tsx';
import { InputsPage } from '#renderer/inputs/inputs-page.tsx';
import { JobPage } from '#renderer/jobs/job-page.tsx';
import { JobsPage } from '#renderer/jobs/jobs-page.tsx';
import { RegistryPage } from '#renderer/jobs/registry-page.tsx';
import { ScriptPage } from '#renderer/jobs/script-page.tsx';
import { ScriptsPage } from '#renderer/jobs/scripts-page.tsx';
import { MetricsPage } from '#renderer/metrics/metrics-page.tsx';
import type { Route } from '#renderer/navigation/router.ts';
import { RunPage } from '#renderer/runs/run-page.tsx';
import { RunsPage } from '#renderer/runs/runs-page.tsx';
import { SessionPage } from '#renderer/sessions/session-page.tsx';
import { SessionsPage } from '#renderer/sessions/sessions-page.tsx';
import { SettingsPage } from '#renderer/settings/settings-page.tsx';
import { ErrorBoundary } from '#renderer/shell/error-boundary.tsx';
import { GlobalCommands } from '#renderer/commands/global-commands.tsx';
import { DisconnectedBanner } from '#renderer/shell/disconnected-banner.tsx';
import { Sidebar } from '#renderer/shell/sidebar.tsx';
import { StartPage } from '#renderer/shell/start-page.tsx';
import { createInboxStore } from '#renderer/stores/inbox-store.ts';
import { text } from '#renderer/text/text.ts';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { Toaster } from '#renderer/ui/feedback/toaster.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';
import { NewWorkflowPage } from '#renderer/editor/new-workflow-page.tsx';
import { WorkflowPage } from '#renderer/workflows/workflow-page.tsx';
import { WorkflowsPage } from '#renderer/workflows/workflows-page.tsx';

export function App({ services }: { readonly services: AppServices }) {
  const { client, feed, router } = services;
  const route = useStore(router.route);
  const inbox = useOpenStore(() => createInboxStore(client, feed), [client, feed]);
  const shared = useMemo(() => ({ ...services, inbox }), [services, inbox]);
  useEffect(() => feed.start(), [feed]);
  useEffect(() => router.start(), [router]);

  return (
    <AppContext value={shared}>
      <a
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('#main')?.focus();
        }}
        className="sr-only z-30 rounded-md bg-surface px-3 py-1.5 font-medium focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-3 focus:py-1.5 focus:shadow-overlay"
      >
        {text.app.skipLink}
      </a>
      <div className="grid h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)] md:grid-cols-[13rem_minmax(0,1fr)] md:grid-rows-[minmax(0,1fr)]">
        <Sidebar />
        <div className="flex min-h-0 flex-col">
          <DisconnectedBanner />
          <Main pageKey={pageKeyOf(route)}>
            <ErrorBoundary key={pageKeyOf(route)}>
              <CurrentPage route={route} />
            </ErrorBoundary>
          </Main>
        </div>
      </div>
      <GlobalCommands />
      <Toaster />
    </AppContext>
  );
}

function CurrentPage({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'start':
      return <StartPage />;
    case 'inbox':
      return <InboxPage />;
    case 'workflows':
      return <WorkflowsPage />;
    case 'workflow':
      return <WorkflowPage key={route.workflowId} {...route} />;
    case 'new-workflow':
      return <NewWorkflowPage />;
    case 'inputs':
      return <InputsPage filter={route.filter} />;
    case 'input':
      return <InputPage key={route.inputId} inputId={route.inputId} />;
    case 'hooks':
      return <WebhooksPage />;
    case 'runs':
      return <RunsPage filter={route.filter} />;
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} />;
    case 'sessions':
      return <SessionsPage filter={route.filter} />;
    case 'session':
      return <SessionPage key={route.runId} runId={route.runId} />;
    case 'jobs':
      return <JobsPage filter={route.filter} />;
    case 'job':
      return <JobPage key={route.jobId} jobId={route.jobId} />;
    case 'scripts':
      return <ScriptsPage />;
    case 'script':
      return <ScriptPage key={route.scriptKey} scriptKey={route.scriptKey} from={route.from} />;
    case 'registry':
      return <RegistryPage />;
    case 'devices':
      return <DevicesPage />;
    case 'pairing':
      return <PairingPage method={route.method} link={route.link} />;
    case 'metrics':
      return <MetricsPage />;
    case 'settings':
      return <SettingsPage section={route.section} />;
    case 'unknown':
      return (
        <Page title={text.app.unknownPage}>
          <EmptyState
            icon={Compass}
            title={text.app.unknownPage}
            hint={text.app.unknownPageHint(route.path)}
          />
        </Page>
      );
  }
}

interface MainProps {
  readonly pageKey: string;
  readonly children: React.ReactNode;
}

/** Moves focus to the new page, as a full page load would. */
function Main({ pageKey, children }: MainProps) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pageKey);
  useEffect(() => {
    if (shown.current === pageKey) return;
    shown.current = pageKey;
    main.current?.focus();
  }, [pageKey]);
  return (
    <main
      id="main"
      ref={main}
      tabIndex={-1}
      className="relative min-h-0 flex-1 overflow-y-auto outline-none"
    >
      {children}
    </main>
  );
}

function pageKeyOf(route: Route): string {
  if (route.page === 'workflow') return `workflow ${route.workflowId}`;
  if (route.page === 'input') return `input ${route.inputId}`;
  if ('jobId' in route) return `${route.page} ${route.jobId}`;
  return 'runId' in route ? `${route.page} ${route.runId}` : route.page;
}
