/** The layout of a signed-in operator: navigation, the page, dialogs that any request can open. */
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { matchPath, navigate, place } from '../core/location.js';
import type { Page, PageProps } from '../core/page.js';
import { may, type Operator, overlay, toast } from '../core/state.js';
import { consolePages } from '../pages/index.js';
import { Heading } from '../parts/heading.js';
import { Empty, Forbidden, Skeleton } from '../parts/view.js';
import { Account } from './account.js';
import { Connection } from './connection.js';
import { Mark } from './mark.js';
import { Navigation } from './navigation.js';
import { StepUpDialog } from './step-up-dialog.js';

export function Layout({ operator }: { readonly operator: Operator }) {
  const { path } = place.value;
  const main = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const isFirst = useRef(true);
  // A key that comes before the page is drawn goes to the new one.
  useLayoutEffect(() => {
    setOpen(false);
    // The first page keeps the focus of the document.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path]);
  return (
    <div class={isOpen ? 'layout open' : 'layout'}>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <a class="brand" href="/">
          <Mark /> <span>Latchkey</span>
        </a>
        <button type="button" class="menu plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Menu
        </button>
        <Navigation />
        <Account operator={operator} />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Connection />
        <CurrentPage />
      </main>
      <LazyOverlays />
      <StepUpDialog />
    </div>
  );
}

/** The part of the script is loaded when it is wanted first. */
function LazyOverlays() {
  const [Overlays, setOverlays] = useState<ComponentType | null>(null);
  const isWanted = overlay.value !== null;
  useEffect(() => {
    if (!isWanted) return;
    import('./overlays.js').then(
      (part) => setOverlays(() => part.Overlays),
      () => toast('The server does not answer', true),
    );
  }, [isWanted]);
  return Overlays === null ? null : <Overlays />;
}

function CurrentPage() {
  const { path } = place.value;
  const [page, params] = findPage(path);
  const isStart = path === '/' && page === null;
  useEffect(() => {
    if (isStart) navigate(consolePages.find(({ menu, role }) => menu !== undefined && may(role))!.path, true);
  }, [isStart]);
  useEffect(() => {
    document.title = `${page?.title ?? 'Not found'} · Latchkey console`;
  }, [page]);
  if (isStart) return null;
  if (page === null) {
    return (
      <>
        <Heading title="Not found" />
        <Empty title="There is no such page">
          <p>
            <a href="/">Go to the first page</a>
          </p>
        </Empty>
      </>
    );
  }
  if (!may(page.role)) {
    return (
      <>
        <Heading title={page.title} />
        <Forbidden message={`${page.title} needs the role ${page.role}.`} />
      </>
    );
  }
  return <LoadedPage key={path} page={page} params={params} />;
}

function findPage(path: string): readonly [Page | null, PageProps['params']] {
  for (const page of consolePages) {
    const params = matchPath(page.path, path);
    if (params !== null) return [page, params];
  }
  return [null, {}];
}

/** The part of the script with the page is loaded when it is shown. */
function LoadedPage({ page, params }: { readonly page: Page; readonly params: PageProps['params'] }) {
  const [Shown, setShown] = useState<ComponentType<PageProps> | null>(null);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    page.load().then(
      ({ Page }) => setShown(() => Page),
      // After an update of the server its parts have other names.
      () => setLost(true),
    );
  }, [page]);
  if (isLost) {
    return (
      <Empty title="This page could not be loaded">
        <p>The server may have been updated, or does not answer.</p>
        <button type="button" onClick={() => location.reload()}>
          Load the console again
        </button>
      </Empty>
    );
  }
  return Shown === null ? <Skeleton /> : <Shown params={params} />;
}
