module Admin
  class ReviewsController < BaseController
    def index
      @reviews = Review.includes(:room).order(created_at: :desc)
    end

    def destroy
      Review.find(params[:id]).destroy
      redirect_to admin_reviews_path
    end
  end
end
