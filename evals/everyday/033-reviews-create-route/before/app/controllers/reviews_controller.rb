class ReviewsController < ApplicationController
  before_action :set_room

  def index
    @reviews = @room.reviews.order(created_at: :desc)
  end

  def create
    @review = @room.reviews.new(review_params)
    if @review.save
      redirect_to room_reviews_path(@room), notice: "Thank you!"
    else
      render :index, status: :unprocessable_entity
    end
  end

  private

  def set_room
    @room = Room.find(params[:room_id])
  end

  def review_params
    params.require(:review).permit(:stars, :text)
  end
end
