// Replaces a crashed page with a message. The rest of the app keeps working.
import { Bug } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';

interface State {
  readonly hasError: boolean;
}

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { hasError: false };

  static getDerivedStateFromError(): State {
    return { hasError: true };
  }

  override render(): ReactNode {
    if (!this.state.hasError) return this.props.children;
    return (
      <EmptyState icon={Bug} title={text.app.crashed} hint={text.app.crashedHint}>
        <Button onPress={() => window.location.reload()}>{text.app.reload}</Button>
      </EmptyState>
    );
  }
}
