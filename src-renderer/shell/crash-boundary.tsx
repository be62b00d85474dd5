// Replaces a crashed page with a message. The rest of the app keeps working.
import { Bug } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';

interface State {
  readonly broken: boolean;
}

export class CrashBoundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { broken: false };

  static getDerivedStateFromError(): State {
    return { broken: true };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <EmptyState icon={Bug} title={text.app.crashed} hint={text.app.crashedHint}>
        <Button onPress={() => window.location.reload()}>{text.app.reload}</Button>
      </EmptyState>
    );
  }
}
