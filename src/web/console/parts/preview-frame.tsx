/**
 * A mail or a page in a frame. The document of the frame has an opaque origin and a policy of its own
 * (src/server/console/preview-frame.ts), and is given the HTML by a message.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';

interface PreviewProps {
  readonly html: string;
  readonly title: string;
  /** Of the style sheet. */
  readonly look: string;
}

export function PreviewFrame({ html, title, look }: PreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = useRef({ html, title });
  const isReady = useRef(false);
  const show = () => frame.current?.contentWindow?.postMessage(shown.current, '*');
  useLayoutEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || data !== 'preview-ready') return;
      isReady.current = true;
      show();
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  useLayoutEffect(() => {
    shown.current = { html, title };
    if (isReady.current) show();
  }, [html, title]);
  return <iframe ref={frame} class={look} title={title} sandbox="allow-scripts" src="/api/preview-frame" />;
}
